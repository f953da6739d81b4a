/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * In whose code a process ended. It takes over the signals of crashes; a program that wants them for itself leaves it out.
 */
#pragma once

#include <warpwright/base.h>

/**
 * From now on a crash in the code of a module that is loaded later writes one line to stderr before the process ends: the module, the
 * function, its component and type, the cycle. For programs, once.
 */
WW_API void ww_crash_report_begin(void);
