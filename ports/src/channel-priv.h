/* SPDX-License-Identifier: Apache-2.0 */
/** @file What channels of all kinds share. */
#pragma once

#include <warpwright/component.h>

/** A channel of kind @p kind that takes one reader has none, or several, which are named. */
bool ww_fail_readers(const WwChannel *channel, const char *kind, GError **error);
