# SPDX-License-Identifier: Apache-2.0
# libwarpwright: the folder libraries as one. The command, the tests and the benchmarks link the static one (they
# may look inside); programs that embed the simulator link the shared one, of which they see what is WW_API.

ww_static_libraries(libraries)
if(NOT libraries)
    return()
endif()
set(objects "")
foreach(library IN LISTS libraries)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
endforeach()

add_library(warpwright_shared SHARED ${objects})
add_library(warpwright_static STATIC ${objects})
set_target_properties(warpwright_shared warpwright_static PROPERTIES
    OUTPUT_NAME warpwright
    LINKER_LANGUAGE C)
set_target_properties(warpwright_shared PROPERTIES
    EXPORT_NAME warpwright
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(warpwright_shared PUBLIC PkgConfig::GLIB
    PRIVATE PkgConfig::GMODULE PkgConfig::EVENT PkgConfig::LZMA PkgConfig::ZSTD PkgConfig::ELF m)
target_include_directories(warpwright_shared
    INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/warpwright-${PROJECT_VERSION_MAJOR}>)
target_link_libraries(warpwright_static
    PUBLIC PkgConfig::GLIB PkgConfig::GMODULE PkgConfig::EVENT PkgConfig::LZMA PkgConfig::ZSTD PkgConfig::ELF m)
foreach(library IN LISTS libraries)
    target_include_directories(warpwright_static
        PUBLIC $<BUILD_INTERFACE:$<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>>)
endforeach()
if(NOT WW_SANITIZE AND NOT WW_FUZZ)
    target_link_options(warpwright_shared PRIVATE -Wl,-z,defs)
endif()
