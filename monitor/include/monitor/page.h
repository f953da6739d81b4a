/* SPDX-License-Identifier: Apache-2.0 */
/** @file The page of `run --monitor`, as text: what web/ has comes before style and script. It asks for nothing but the API of docs/monitor.md. */
#pragma once

/** The page, in HTML, which links to the other two. */
extern const char ww_monitor_page[];
/** CSS, to come behind ww_web_style. */
extern const char ww_monitor_style[];
/** JavaScript, to come behind ww_web_script. */
extern const char ww_monitor_script[];
