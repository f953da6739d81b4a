/* SPDX-License-Identifier: Apache-2.0 */
/** @file Providers that break what their contracts promise, and the tests that each is caught. */
#pragma once

void add_faulty_providers(void);
void free_faulty_providers(void);
