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
    # For all code, libonnx included: containers cross the border, and half-instrumented ones report falsely.
    add_compile_options(-fsanitize=${SECATEUR_SANITIZE_LIST} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SECATEUR_SANITIZE_LIST})
    # Asserts are programmer errors, and this is the build that looks for those.
    target_compile_options(secateur_options INTERFACE -UNDEBUG)
endif()
