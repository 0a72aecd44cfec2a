// The kernel without Python: answers held to plain counting, first from one thread, then from several that share everything.
//
// Any compiler, sanitizer or emulator can run it:
//     g++ -std=c++17 -O1 -g -fsanitize=thread -pthread -Isrc/elcs/engines tools/kernel_check.cpp -o build/kernel_check
//     aarch64-linux-gnu-g++ -std=c++17 -O2 -static -pthread -Isrc/elcs/engines tools/kernel_check.cpp -o build/kernel_check
#include <cstdio>
#include <map>
#include <random>

#include "kernels/counted.hpp"
#include "kernels/counting.hpp"
#include "kernels/turns.hpp"

namespace {

constexpr int n_columns = 10, n_threads = 4;

struct Data {
    explicit Data(size_t n_rows) : codes(n_columns, std::vector<uint8_t>(n_rows)) {
        std::mt19937_64 random(n_rows);
        for (int v = 0; v < n_columns; ++v) {
            const uint32_t n_levels = 2 + v % 4;
            const bool gaps = v % 3 == 2;  // the code after the last level
            for (size_t row = 0; row < n_rows; ++row) {
                const uint8_t before = v > 0 ? codes[v - 1][row] : 0;
                codes[v][row] = static_cast<uint8_t>((random() % 3 == 0 ? before : random()) % (n_levels + gaps));
            }
            levels.push_back(n_levels);
            columns.push_back({codes[v].data(), false, n_levels, gaps});
        }
    }

    // G2 of x and y within each stratum of z, over the rows that have them all.
    double g2(int x, int y, const std::vector<int>& z) const {
        std::map<std::vector<int>, double> cells;
        for (size_t row = 0; row < codes[0].size(); ++row) {
            std::vector<int> cell = {codes[x][row], codes[y][row]};
            bool whole = cell[0] < static_cast<int>(levels[x]) && cell[1] < static_cast<int>(levels[y]);
            for (const int v : z) {
                cell.push_back(codes[v][row]);
                whole = whole && cell.back() < static_cast<int>(levels[v]);
            }
            if (whole) ++cells[cell];
        }
        std::map<std::vector<int>, double> without_x, without_y, without_both;
        for (const auto& [cell, n] : cells) {
            without_both[std::vector<int>(cell.begin() + 2, cell.end())] += n;
            without_x[std::vector<int>(cell.begin() + 1, cell.end())] += n;
            std::vector<int> rest = cell;
            rest[1] = -1;
            without_y[rest] += n;
        }
        double sum = 0;
        for (const auto* part : {&cells, &without_both})
            for (const auto& [cell, n] : *part) sum += n * std::log(n);
        for (const auto* part : {&without_x, &without_y})
            for (const auto& [cell, n] : *part) sum -= n * std::log(n);
        return 2 * sum;
    }

    std::vector<std::vector<uint8_t>> codes;
    std::vector<uint32_t> levels;
    std::vector<elcs::Codes> columns;
};

elcs::CountingTester tester(const elcs::Columns& columns, size_t cache_size) {
    return {columns, false, 5.0, [](int64_t dof) { return dof + 3 * std::sqrt(2.0 * dof); }, cache_size, [] {}};
}

struct Question {
    int x, y;
    std::vector<int> z;
    double g2;
};

int ask(elcs::Tester& tester, elcs::Turns& turns, const Question& q) {
    const elcs::Turns::Turn turn(turns);
    const double found = tester.test(q.x, q.y, q.z.data(), static_cast<int>(q.z.size())).measure.statistic;
    if (std::fabs(found - q.g2) < 1e-6) return 0;
    std::printf("G2 of %d and %d given %zu others: %.9f, but plain counting gives %.9f\n", q.x, q.y, q.z.size(), found, q.g2);
    return 1;
}

}  // namespace

int main() {
    const Data data(2000);
    std::vector<Question> questions;
    for (int x = 0; x < n_columns; ++x)
        for (int y = x + 1; y < n_columns; ++y)
            for (int size = 0; size < 4; ++size) {
                std::vector<int> z;
                for (int v = (x + y + size) % n_columns; static_cast<int>(z.size()) < size; v = (v + 1) % n_columns)
                    if (v != x && v != y) z.push_back(v);
                std::sort(z.begin(), z.end());
                questions.push_back({x, y, z, data.g2(x, y, z)});
            }

    int n_wrong = 0;
    for (const elcs::Isa& isa : elcs::available_isas()) {
        std::printf("%s\n", isa.name);
        setenv("ELCS_CPU", isa.name, 1);
        elcs::Columns columns(data.columns, 2000, nullptr, 1);
        auto alone = tester(columns, 0);
        elcs::Turns own;
        for (const Question& q : questions) n_wrong += ask(alone, own, q);
    }

    // Four threads: a tester, a score and a budget that all share, and a tester of each on the columns that all share.
    const elcs::Columns columns(data.columns, 2000, nullptr, 1);
    auto shared = tester(columns, 64);
    std::vector<int> ranks(n_columns);
    std::iota(ranks.begin(), ranks.end(), 0);
    elcs::CountedFamilies families(columns, 10, 0, ranks, ranks.size(), 64, [] {});
    elcs::Turns turns;
    const auto budget = std::make_shared<elcs::Budget>(int64_t{1} << 40, 3600.0);
    shared.set_budget(budget);
    std::vector<int> wrong(n_threads, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; ++t)
        threads.emplace_back([&, t] {
            auto own_tester = tester(columns, 16);
            own_tester.set_budget(budget);
            elcs::Turns own;
            for (size_t i = 0; i < questions.size(); ++i) {
                const Question& q = questions[(i * (t + 1)) % questions.size()];
                wrong[t] += ask(shared, turns, q) + ask(own_tester, own, q);
                wrong[t] += shared.asked < 1 || *budget->questions_left() < 1;  // as a display of progress looks
                const elcs::Turns::Turn turn(families.turns);
                wrong[t] += !std::isfinite(families.score(q.x, q.z));
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const int n : wrong) n_wrong += n;

    // So many rows that one table is counted by several threads.
    const size_t n_rows = 3 * elcs::Columns::rows_per_thread;
    const Data large(n_rows);
    const elcs::Columns one(large.columns, n_rows, nullptr, 1), three(large.columns, n_rows, nullptr, 3);
    for (const std::vector<int>& v : {std::vector<int>{0, 1}, {2, 3, 4}, {1, 2, 3, 5, 7}}) {
        size_t cells = 1;
        for (const int variable : v) cells *= one.levels(variable);
        std::vector<int64_t> counts, again;
        one.count(v.data(), static_cast<int>(v.size()), counts, cells);
        three.count(v.data(), static_cast<int>(v.size()), again, cells);
        n_wrong += counts != again;
    }
    std::printf("%d wrong of %zu questions\n", n_wrong, questions.size());
    return n_wrong != 0;
}
