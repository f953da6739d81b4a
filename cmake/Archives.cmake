# SPDX-License-Identifier: Apache-2.0
# Libraries that the command takes in as archives: a shared one costs every run 0.1 ms before main(), and most runs use none of these
# (docs/performance.md, "The start"). All other targets, and a system that has no archives or not their notices, use the shared ones.
option(WW_ARCHIVES "Link the command with archives of what few runs use, where there are some" ON)

# ww_offer_archives(<prefix> <package> <library>...): in a target with the property WW_ARCHIVES, PkgConfig::<prefix> is lib<library>.a of
# each. What is distributed has to come with the notice of <package>, which Debian keeps: it is installed with the command.
function(ww_offer_archives prefix package)
    set(archives "")
    set(notice /usr/share/doc/${package}/copyright)
    foreach(library IN LISTS ARGN)
        find_library(WW_ARCHIVE_${library} lib${library}.a HINTS ${${prefix}_LIBRARY_DIRS})
        mark_as_advanced(WW_ARCHIVE_${library})
        list(APPEND archives ${WW_ARCHIVE_${library}})
    endforeach()
    if(NOT WW_ARCHIVES OR "${archives}" MATCHES "NOTFOUND" OR NOT EXISTS ${notice})
        return()
    endif()
    get_target_property(shared PkgConfig::${prefix} INTERFACE_LINK_LIBRARIES)
    set_property(TARGET PkgConfig::${prefix} PROPERTY INTERFACE_LINK_LIBRARIES
        "$<IF:$<BOOL:$<TARGET_PROPERTY:WW_ARCHIVES>>,${archives},${shared}>")
    set_property(GLOBAL APPEND PROPERTY WW_ARCHIVE_FILES ${archives})
    install(FILES ${notice} DESTINATION ${CMAKE_INSTALL_DOCDIR}/notices RENAME ${package})
endfunction()

# ww_use_archives(<target>): it takes them in; what is in them is not offered to modules.
function(ww_use_archives target)
    get_property(files GLOBAL PROPERTY WW_ARCHIVE_FILES)
    if(files)
        list(TRANSFORM files REPLACE ".*/" "")
        list(JOIN files ":" names)
        set_target_properties(${target} PROPERTIES WW_ARCHIVES ON)
        target_link_options(${target} PRIVATE LINKER:--exclude-libs,${names})
    endif()
endfunction()
