# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers, ccache: everything that is the same for each target of ours.

# ccache: rebuilding after a branch switch costs seconds instead of minutes.
find_program(SECATEUR_CCACHE ccache)
if(SECATEUR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SECATEUR_CCACHE}")
endif()

# Every target of ours links this; third-party code does not.
add_library(secateur_options INTERFACE)
add_library(Secateur::options ALIAS secateur_options)
target_compile_options(secateur_options INTERFACE
    -Wall -Wextra -Wconversion -Wshadow
    # Folding must give the same bytes on every machine: no fused multiply-add behind our back.
    -ffp-contract=off)
if(SECATEUR_WERROR)
    target_compile_options(secateur_options INTERFACE -Werror)
endif()

if(SECATEUR_SANITIZE)
    list(JOIN SECATEUR_SANITIZE "," SECATEUR_SANITIZE_LIST)
    # -UNDEBUG: asserts are programmer errors, and this is the build that looks for those. -O1: kernels are many
    # templates, which compile three times as fast.
    set(SECATEUR_SANITIZE_FLAGS -fsanitize=${SECATEUR_SANITIZE_LIST} -fno-omit-frame-pointer -UNDEBUG -O1)
    add_link_options(-fsanitize=${SECATEUR_SANITIZE_LIST})
    if(SECATEUR_SANITIZE_FOLDERS)
        # When every target knows its sources.
        cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL secateur_sanitize_folders)
    else()
        add_compile_options(-fsanitize=${SECATEUR_SANITIZE_LIST} -fno-omit-frame-pointer)
        target_compile_options(secateur_options INTERFACE -UNDEBUG -O1)
    endif()
endif()

# Instruments the sources below SECATEUR_SANITIZE_FOLDERS and leaves the rest as it is.
function(secateur_sanitize_folders)
    set(folders "${CMAKE_SOURCE_DIR}")
    while(folders)
        list(POP_FRONT folders folder)
        get_property(inner DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
        list(APPEND folders ${inner})
        get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
        foreach(target IN LISTS targets)
            secateur_sanitize_target(${target})
        endforeach()
    endwhile()
endfunction()

function(secateur_sanitize_target target)
    get_target_property(sources ${target} SOURCES)
    get_target_property(base ${target} SOURCE_DIR)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${base}" NORMALIZE)
        foreach(folder IN LISTS SECATEUR_SANITIZE_FOLDERS)
            string(FIND "${source}" "${CMAKE_SOURCE_DIR}/${folder}/" at)
            if(at EQUAL 0)
                set_property(SOURCE "${source}" TARGET_DIRECTORY ${target}
                    APPEND PROPERTY COMPILE_OPTIONS ${SECATEUR_SANITIZE_FLAGS})
            endif()
        endforeach()
    endforeach()
endfunction()
