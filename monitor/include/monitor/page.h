/* SPDX-License-Identifier: Apache-2.0 */
/** @file The page of `run --monitor`, as text: what web/ has comes before style and script. It asks for nothing but the API of docs/monitor.md. */
#pragma once

extern const char ww_monitor_page[];
extern const char ww_monitor_style[];
extern const char ww_monitor_script[];
