/* SPDX-License-Identifier: Apache-2.0 */
/** @file The fields that parameters are written to. */
#pragma once

#include <warpwright/type.h>

enum { WW_N_PARAM_KINDS = WW_PARAM_LIST + 1 };

typedef struct WwParamField {
    size_t size, align;
} WwParamField;

/** By kind. */
extern const WwParamField ww_param_field[WW_N_PARAM_KINDS];
