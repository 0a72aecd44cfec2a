// What a run may cost, shared by everything that it asks: a number of questions, and an amount of time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

namespace elcs {

struct OutOfBudget : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Budget {
public:
    Budget(std::optional<int64_t> questions, std::optional<double> seconds) {
        if (questions && *questions < 0) throw std::invalid_argument("a budget has a number of tests of at least 0");
        if (seconds && !(*seconds >= 0)) throw std::invalid_argument("a budget has a number of seconds of at least 0");
        if (questions) most_ = *questions;
        if (seconds && *seconds < longest)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    }

    // Counts a question, or throws if no more are allowed. Testers that share a budget may run in several threads.
    void spend() {
        if (spent_.fetch_add(1, std::memory_order_relaxed) < most_) return;
        spent_.fetch_sub(1, std::memory_order_relaxed);
        throw OutOfBudget("the number of tests and scores allowed has been reached");
    }
    void check_time() const {
        if (timed() && Clock::now() >= deadline_) throw OutOfBudget("the time allowed has run out");
    }
    bool timed() const { return deadline_ != Clock::time_point::max(); }

    std::optional<int64_t> questions_left() const {
        if (most_ == std::numeric_limits<int64_t>::max()) return std::nullopt;
        return std::max<int64_t>(most_ - spent_, 0);
    }
    std::optional<double> seconds_left() const {
        if (!timed()) return std::nullopt;
        return std::max(std::chrono::duration<double>(deadline_ - Clock::now()).count(), 0.0);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest = 1e9;  // three decades; the clock's own count overflows at nine times as much

    int64_t most_ = std::numeric_limits<int64_t>::max();
    std::atomic<int64_t> spent_{0};
    Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace elcs
