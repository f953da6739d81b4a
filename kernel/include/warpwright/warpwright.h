/* SPDX-License-Identifier: Apache-2.0 */
/** @file All that a component needs. */
#pragma once

#include <warpwright/base.h>
#include <warpwright/component.h>
#include <warpwright/event.h>
#include <warpwright/event_log.h>
#include <warpwright/type.h>
