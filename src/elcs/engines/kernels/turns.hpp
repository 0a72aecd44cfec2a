// Python threads that share a tester take turns.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace elcs {

class Turns {
public:
    // Waits for the turn of this thread, and ends it.
    class Turn {
    public:
        explicit Turn(Turns& turns) : turns_(turns) {
            // A signal handler runs in the thread that it interrupts, amid its turn. To wait for that one would never end.
            if (turns_.whose_.load(std::memory_order_relaxed) == std::this_thread::get_id())
                throw std::invalid_argument("another question is being answered; a signal handler cannot ask one of its own");
            turns_.mutex_.lock();
            turns_.whose_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        }
        ~Turn() {
            turns_.whose_.store(std::thread::id(), std::memory_order_relaxed);
            turns_.mutex_.unlock();
        }
        Turn(const Turn&) = delete;

    private:
        Turns& turns_;
    };

private:
    std::mutex mutex_;
    std::atomic<std::thread::id> whose_{};
};

}  // namespace elcs
