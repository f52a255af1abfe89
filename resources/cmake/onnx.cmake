# SPDX-License-Identifier: Apache-2.0
# Gives Secateur::onnx: libonnx (schemas, type inference, checker, parser, printer, inliner, version converter)
# against this system's protobuf, and SECATEUR_ONNX_TEST_DATA, the models that its wheel carries for tests.
#
# An installed ONNX of 1.17 or newer is used when CMake finds one. Else the C++ sources inside the onnx wheel
# are compiled: pip fetches the wheel, pinned by hash, once per SECATEUR_DEPS_DIR.

set(SECATEUR_ONNX_VERSION 1.23.2)
set(SECATEUR_ONNX_TEST_DATA "")

if(SECATEUR_SYSTEM_ONNX)
    find_package(ONNX 1.17 CONFIG QUIET)
    if(ONNX_FOUND)
        add_library(secateur_onnx INTERFACE)
        foreach(name ONNX::onnx onnx ONNX::onnx_proto onnx_proto)
            if(TARGET ${name})
                target_link_libraries(secateur_onnx INTERFACE ${name})
            endif()
        endforeach()
        target_link_libraries(secateur_onnx INTERFACE protobuf::libprotobuf)
        add_library(Secateur::onnx ALIAS secateur_onnx)
        message(STATUS "ONNX: the installed ${ONNX_VERSION}")
        return()
    endif()
endif()

# Fetch and unpack (once, under a lock: other build folders may share the place).
set(onnx_root "${SECATEUR_DEPS_DIR}/onnx-${SECATEUR_ONNX_VERSION}")
file(MAKE_DIRECTORY "${SECATEUR_DEPS_DIR}")
file(LOCK "${SECATEUR_DEPS_DIR}/lock" GUARD FILE TIMEOUT 600)
if(NOT EXISTS "${onnx_root}/complete")
    # Python: pip alone can verify the pinned hash and read the wheel index that this machine is set up for.
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(onnx_download "${SECATEUR_DEPS_DIR}/download")
    message(STATUS "ONNX: fetching the ${SECATEUR_ONNX_VERSION} wheel with pip into ${onnx_download}")
    execute_process(
        COMMAND "${Python3_EXECUTABLE}" -m pip download --quiet --no-cache-dir --no-deps --require-hashes
                --implementation cp --python-version 3.11 --abi cp311
                --platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 --only-binary=:all:
                --requirement "${CMAKE_SOURCE_DIR}/resources/cmake/onnx-requirements.txt"
                --dest "${onnx_download}"
        RESULT_VARIABLE onnx_result OUTPUT_VARIABLE onnx_output ERROR_VARIABLE onnx_output)
    if(NOT onnx_result EQUAL 0)
        message(FATAL_ERROR "the onnx ${SECATEUR_ONNX_VERSION} wheel could not be fetched, and its C++ sources "
            "are needed. Check that `python3 -m pip` exists and reaches its package index; or install ONNX 1.17 "
            "or newer with its CMake files. pip said:\n${onnx_output}")
    endif()
    file(GLOB onnx_wheel "${onnx_download}/onnx-${SECATEUR_ONNX_VERSION}-*.whl")
    file(REMOVE_RECURSE "${onnx_root}")
    file(ARCHIVE_EXTRACT INPUT "${onnx_wheel}" DESTINATION "${onnx_root}")
    file(TOUCH "${onnx_root}/complete")
endif()
file(LOCK "${SECATEUR_DEPS_DIR}/lock" RELEASE)
set(SECATEUR_ONNX_TEST_DATA "${onnx_root}/onnx/backend/test/data")

# Generate.
set(onnx_generated "${CMAKE_BINARY_DIR}/onnx-generated")
file(MAKE_DIRECTORY "${onnx_generated}/onnx")
set(onnx_generated_files)
foreach(name onnx-ml onnx-operators-ml onnx-data)
    set(files "${onnx_generated}/onnx/${name}.pb.cc" "${onnx_generated}/onnx/${name}.pb.h")
    add_custom_command(
        OUTPUT ${files}
        COMMAND protobuf::protoc "--proto_path=${onnx_root}" "--cpp_out=${onnx_generated}" "onnx/${name}.proto"
        DEPENDS "${onnx_root}/onnx/${name}.proto"
        COMMENT "protoc ${name}.proto" VERBATIM)
    list(APPEND onnx_generated_files ${files})
endforeach()

# Compile. A glob is safe here: the tree is pinned by hash and changes only with the version above.
file(GLOB_RECURSE onnx_sources "${onnx_root}/onnx/*.cc")
list(FILTER onnx_sources EXCLUDE REGEX "cpp2py_export\\.cc$|/fuzz/|/test/|/onnx_cpp2py_export/")
add_library(secateur_onnx_sources STATIC ${onnx_sources} ${onnx_generated_files})
add_library(Secateur::onnx ALIAS secateur_onnx_sources)
target_compile_definitions(secateur_onnx_sources PUBLIC ONNX_NAMESPACE=onnx ONNX_ML=1)
target_compile_options(secateur_onnx_sources PRIVATE -O2 -g0 -w)
# SYSTEM: its headers do not hold to our warnings.
target_include_directories(secateur_onnx_sources SYSTEM PUBLIC "${onnx_root}" "${onnx_generated}")
target_link_libraries(secateur_onnx_sources PUBLIC protobuf::libprotobuf)
set_target_properties(secateur_onnx_sources PROPERTIES AUTOMOC OFF EXPORT_COMPILE_COMMANDS OFF)
message(STATUS "ONNX: compiled from the sources in ${onnx_root}")
