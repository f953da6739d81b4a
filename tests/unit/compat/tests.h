/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(). */
#pragma once

void register_option_tests(void);
