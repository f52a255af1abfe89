# SPDX-License-Identifier: Apache-2.0
# secateur_embed_fonts(TARGET): puts Noto Sans and Noto Sans Mono into TARGET's Qt resources as
# ":/fonts/FILE.ttf", so that the window looks and measures the same on every machine. They are taken from
# where Debian's fonts-noto-core and fonts-noto-mono (or another system) put them; OFL-1.1 allows embedding.
# Without them the window falls back to the fonts of the system.
function(secateur_embed_fonts target)
    set(found)
    foreach(name NotoSans-Regular NotoSans-Bold NotoSansMono-Regular NotoSansMono-Bold)
        find_file(SECATEUR_FONT_${name} "${name}.ttf"
            PATHS /usr/share/fonts/truetype/noto /usr/share/fonts/noto /usr/share/fonts/google-noto
                  /usr/share/fonts/TTF
            NO_DEFAULT_PATH)
        mark_as_advanced(SECATEUR_FONT_${name})
        if(NOT SECATEUR_FONT_${name})
            message(STATUS "Fonts: ${name}.ttf not found, the window will use the system's fonts "
                           "(packages fonts-noto-core, fonts-noto-mono)")
            return()
        endif()
        set_source_files_properties("${SECATEUR_FONT_${name}}" PROPERTIES QT_RESOURCE_ALIAS "${name}.ttf")
        list(APPEND found "${SECATEUR_FONT_${name}}")
    endforeach()
    qt_add_resources(${target} fonts PREFIX "/fonts" FILES ${found} OPTIONS --no-compress)
    message(STATUS "Fonts: Noto Sans and Noto Sans Mono built in")
endfunction()
