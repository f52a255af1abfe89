# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=... -DPREFIX=... -DWINDOW=ON|OFF -P check_install.cmake
# Installs into PREFIX and looks at what is there: the very files, and that the command line starts from there.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "installing failed:\n${output}")
endif()
set(expected bin/secateur-cli
    share/doc/secateur/licenses/Apache-2.0.txt share/doc/secateur/licenses/BSD-3-Clause.txt
    share/doc/secateur/licenses/MIT.txt share/doc/secateur/licenses/NOTICE.md
    share/doc/secateur/licenses/OFL-1.1.txt
    share/secateur/samples/mlp_gelu.training.onnx)
if(WINDOW)
    list(APPEND expected bin/secateur
        share/applications/org.secateur.Secateur.desktop
        share/icons/hicolor/scalable/apps/secateur.svg
        share/metainfo/org.secateur.Secateur.metainfo.xml
        share/mime/packages/org.secateur.Secateur.xml)
endif()
file(GLOB_RECURSE installed RELATIVE "${PREFIX}" "${PREFIX}/*")
list(SORT expected)
list(SORT installed)
if(NOT "${installed}" STREQUAL "${expected}")
    message(FATAL_ERROR "installed:\n  ${installed}\nexpected:\n  ${expected}")
endif()
execute_process(COMMAND "${PREFIX}/bin/secateur-cli" passes RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "the installed secateur-cli does not run (${result}):\n${output}")
endif()
file(REMOVE_RECURSE "${PREFIX}")
