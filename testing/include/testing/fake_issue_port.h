/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `issue_port`: keeps the last stall. */
#pragma once

#include <ports/sub_core.h>

/** An issue stage that notes its stalls; nothing to set. */
typedef struct WwFakeIssuePort {
    WwComponent base;
    WwProvided port;
    uint32_t stalls, cycles; /**< How many, and of the last one how long, */
    WwCycle from;            /**< and from when on. */
} WwFakeIssuePort;

/** The type `fake.issue_port`. */
WW_API extern const WwType ww_fake_issue_port_type;
