# SPDX-License-Identifier: Apache-2.0
# oneDNN as the target DNNL::dnnl. Its own package file asks for the headers of OpenCL, which Debian's libdnnl-dev does
# not bring and which nothing here includes: so header and library are found by themselves.

find_path(SECATEUR_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(SECATEUR_DNNL_LIBRARY NAMES dnnl)
mark_as_advanced(SECATEUR_DNNL_INCLUDE_DIR SECATEUR_DNNL_LIBRARY)

if(NOT SECATEUR_DNNL_INCLUDE_DIR OR NOT SECATEUR_DNNL_LIBRARY)
    message(FATAL_ERROR
        "oneDNN was not found (oneapi/dnnl/dnnl.hpp and libdnnl): install libdnnl-dev, or name its folder with "
        "-DCMAKE_PREFIX_PATH=FOLDER.")
endif()

file(STRINGS "${SECATEUR_DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" dnnl_numbers
    REGEX "^#define DNNL_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
list(TRANSFORM dnnl_numbers REPLACE "^.* ([0-9]+)$" "\\1")
list(JOIN dnnl_numbers "." SECATEUR_DNNL_VERSION)
if(SECATEUR_DNNL_VERSION VERSION_LESS 2.6 OR NOT SECATEUR_DNNL_VERSION VERSION_LESS 3)
    message(FATAL_ERROR
        "oneDNN ${SECATEUR_DNNL_VERSION} was found in ${SECATEUR_DNNL_INCLUDE_DIR}; version 2.6 or newer, but below 3, is "
        "needed: install libdnnl-dev of Debian 12 or name another folder with -DCMAKE_PREFIX_PATH=FOLDER.")
endif()
message(STATUS "oneDNN ${SECATEUR_DNNL_VERSION}: ${SECATEUR_DNNL_LIBRARY}")

if(NOT TARGET DNNL::dnnl)
    add_library(DNNL::dnnl UNKNOWN IMPORTED)
    set_target_properties(DNNL::dnnl PROPERTIES
        IMPORTED_LOCATION "${SECATEUR_DNNL_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${SECATEUR_DNNL_INCLUDE_DIR}")
endif()
