# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: command, library, headers, platforms and configs, and how others find them.
include(CMakePackageConfigHelpers)

set(WW_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/warpwright-${PROJECT_VERSION_MAJOR})
set(WW_DATADIR ${CMAKE_INSTALL_DATADIR}/warpwright)
set(WW_BINDIR ${CMAKE_INSTALL_BINDIR})
set(WW_MODULEDIR ${CMAKE_INSTALL_LIBDIR}/warpwright/modules)
set(WW_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/warpwright)

if(TARGET warpwright)
    install(TARGETS warpwright)
    # Manual pages and completion ask the command itself; there is no list of either here.
    install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        FILES_MATCHING PATTERN "*.1")
    install(FILES cli/warpwright.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME warpwright)
endif()

# kernel/ and ports/ are what a component needs, testing/ what its tests do; the rest is for programs that embed the simulator.
foreach(folder IN ITEMS kernel ports testing trace platforms results compat monitor checkpoint events view)
    install(DIRECTORY ${folder}/include/ DESTINATION ${WW_INCLUDEDIR} OPTIONAL
        FILES_MATCHING PATTERN "*.h" PATTERN "*-priv.h" EXCLUDE)
endforeach()
install(FILES components/register.h DESTINATION ${WW_INCLUDEDIR}/components)

install(DIRECTORY platforms DESTINATION ${WW_DATADIR} FILES_MATCHING PATTERN "*.plat"
    PATTERN src EXCLUDE PATTERN include EXCLUDE)
install(DIRECTORY configs DESTINATION ${WW_DATADIR} FILES_MATCHING PATTERN "*.conf" PATTERN "*.map")
install(DIRECTORY samples DESTINATION ${WW_DATADIR} OPTIONAL)
# Example modules as sources, each with its build file, and the templates of `warpwright new`.
install(DIRECTORY modules DESTINATION ${WW_DATADIR} OPTIONAL PATTERN build EXCLUDE)
install(DIRECTORY docs tutorial DESTINATION ${WW_DATADIR} OPTIONAL)
install(FILES README.md CHANGES.md DESTINATION ${WW_DATADIR})
install(CODE "set(WW_DATADIR ${WW_DATADIR})
set(WW_INCLUDEDIR ${WW_INCLUDEDIR})")
install(SCRIPT cmake/InstalledLinks.cmake)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET warpwright_shared)
    install(TARGETS warpwright_static)
    install(TARGETS warpwright_shared EXPORT warpwright)
    install(EXPORT warpwright NAMESPACE warpwright:: DESTINATION ${WW_CMAKEDIR}
        FILE warpwright-targets.cmake)
    configure_package_config_file(cmake/warpwright-config.cmake.in warpwright-config.cmake
        INSTALL_DESTINATION ${WW_CMAKEDIR} PATH_VARS WW_INCLUDEDIR WW_DATADIR WW_BINDIR WW_MODULEDIR)
    write_basic_package_version_file(warpwright-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES
        ${CMAKE_CURRENT_BINARY_DIR}/warpwright-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/warpwright-config-version.cmake
        cmake/warpwright-sleep-test.cmake
        DESTINATION ${WW_CMAKEDIR})
    # The prefix is found from where the file lies, so that an installed tree may be moved.
    file(RELATIVE_PATH WW_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    configure_file(cmake/warpwright.pc.in warpwright.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpwright.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
