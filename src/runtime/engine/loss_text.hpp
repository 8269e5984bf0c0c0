// Why a lease was lost, in words: "… was lost: its key is gone from the store".
#pragma once

#include <string>
#include <string_view>

#include "core/notice.hpp"

namespace tenure::runtime {

std::string loss_text(core::LossReason reason);
// The same in one word, for machines: that of the public Loss.
std::string_view loss_word(core::LossReason reason);

}  // namespace tenure::runtime
