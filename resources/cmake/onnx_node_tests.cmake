# SPDX-License-Identifier: Apache-2.0
# Gives SECATEUR_ONNX_NODE_TESTS: the folder of ONNX's node tests (one folder a case, with inputs and expected outputs),
# or nothing where they cannot be fetched; the tests that use them are then skipped.

set(SECATEUR_ONNX_NODE_TESTS "")
set(node_tests_root "${SECATEUR_DEPS_DIR}/onnx-node-tests-1.16.1")
file(MAKE_DIRECTORY "${SECATEUR_DEPS_DIR}")
file(LOCK "${SECATEUR_DEPS_DIR}/lock" GUARD FILE TIMEOUT 600)
if(NOT EXISTS "${node_tests_root}/complete")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(node_tests_download "${SECATEUR_DEPS_DIR}/download-node-tests")
    execute_process(
        COMMAND "${Python3_EXECUTABLE}" -m pip download --quiet --no-cache-dir --no-deps --require-hashes
                --implementation cp --python-version 3.11 --abi cp311
                --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --only-binary=:all:
                --requirement "${CMAKE_SOURCE_DIR}/resources/cmake/onnx-node-tests-requirements.txt"
                --dest "${node_tests_download}"
        RESULT_VARIABLE node_tests_result OUTPUT_QUIET ERROR_QUIET)
    if(node_tests_result EQUAL 0)
        file(GLOB node_tests_wheel "${node_tests_download}/onnx-1.16.1-*.whl")
        file(REMOVE_RECURSE "${node_tests_root}")
        file(ARCHIVE_EXTRACT INPUT "${node_tests_wheel}" DESTINATION "${node_tests_root}"
             PATTERNS "onnx/backend/test/data/node/*")
        file(TOUCH "${node_tests_root}/complete")
    else()
        message(STATUS "ONNX node tests: not fetched, their test will be skipped")
    endif()
endif()
file(LOCK "${SECATEUR_DEPS_DIR}/lock" RELEASE)
if(EXISTS "${node_tests_root}/complete")
    set(SECATEUR_ONNX_NODE_TESTS "${node_tests_root}/onnx/backend/test/data/node")
endif()
