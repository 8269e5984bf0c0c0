// Why a lease was lost, in words: "… was lost: its key is gone from the store".
#pragma once

#include <string>

#include "core/notice.hpp"

namespace tenure::runtime {

std::string loss_text(core::LossReason reason);

}  // namespace tenure::runtime
