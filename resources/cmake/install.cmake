# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and the Debian package hold. Included last, when all targets exist.

install(TARGETS secateur-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET secateur)
    install(TARGETS secateur RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(FILES resources/desktop/org.secateur.Secateur.desktop
            DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES resources/desktop/org.secateur.Secateur.metainfo.xml
            DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
    install(FILES resources/desktop/secateur-mime.xml
            DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages" RENAME org.secateur.Secateur.xml)
    install(FILES resources/icons/secateur.svg
            DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()
install(FILES resources/samples/mlp_gelu.training.onnx DESTINATION "${CMAKE_INSTALL_DATADIR}/secateur/samples")
install(FILES resources/licenses/Apache-2.0.txt resources/licenses/BSD-3-Clause.txt resources/licenses/MIT.txt
              resources/licenses/OFL-1.1.txt resources/licenses/NOTICE.md
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME secateur)
set(CPACK_PACKAGE_VENDOR "The Secateur authors")
set(CPACK_PACKAGE_CONTACT "The Secateur authors <secateur@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-noto-cjk, fonts-noto-color-emoji")
# The shared libraries are found by looking at the programs; dpkg-dev brings the tool that knows their packages.
find_program(SECATEUR_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(SECATEUR_SHLIBDEPS)
if(SECATEUR_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Secateur opens an ONNX model that still carries its training half, cuts it
 down to the part that inference needs, shows before and after side by side
 with a reason for each removed node, and exports the result.")
include(CPack)
