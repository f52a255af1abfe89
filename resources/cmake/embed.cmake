# SPDX-License-Identifier: Apache-2.0
# secateur_embed(TARGET NAME FILE): puts FILE's bytes into TARGET's read-only data and generates the header
# "embedded/NAME.h" with `std::string_view secateur::embedded::NAME()`.
function(secateur_embed target name file)
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    set(dir "${CMAKE_CURRENT_BINARY_DIR}/embedded_${target}")
    set(header "${dir}/embedded/${name}.h")
    set(source "${dir}/embedded/${name}.cpp")
    set(SECATEUR_EMBED_NAME "${name}")
    set(SECATEUR_EMBED_FILE "${file}")
    configure_file("${CMAKE_SOURCE_DIR}/resources/cmake/embed.h.in" "${header}" @ONLY)
    configure_file("${CMAKE_SOURCE_DIR}/resources/cmake/embed.cpp.in" "${source}" @ONLY)
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES
        OBJECT_DEPENDS "${file}" SKIP_AUTOGEN ON)
    target_sources(${target} PRIVATE "${source}")
    target_include_directories(${target} PRIVATE "${dir}")
endfunction()
