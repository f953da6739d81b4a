/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A shared object that is not a module.
 */
#include <warpwright/module.h>

WW_MODULE_EXPORT extern const int something_else;
const int something_else = 1;
