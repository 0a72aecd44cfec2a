// The compiled engine, as Python sees it. Counting is in kernels/columns.hpp, questions in kernels/tester.hpp, how they are
// answered in kernels/counting.hpp and kernels/gram.hpp; scores in kernels/counted.hpp and kernels/blocks.hpp, the search for
// the best network in kernels/arrangement.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "kernels/arranging.hpp"
#include "kernels/blocks.hpp"
#include "kernels/counted.hpp"
#include "kernels/counting.hpp"
#include "kernels/distinct.hpp"
#include "kernels/gram.hpp"
#include "kernels/names.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Questions = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Terms = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using elcs::as_numpy;

// The columns, with the arrays whose memory they read.
struct Table {
    Table(std::vector<AnyColumn> codes, const std::vector<uint32_t>& levels, const std::vector<bool>& gaps,
          std::optional<Weights> weights, int threads)
        : codes(std::move(codes)), weights(std::move(weights)), columns(build(levels, gaps, threads)) {}
    Table(const Table&) = delete;

    elcs::Columns build(const std::vector<uint32_t>& levels, const std::vector<bool>& gaps, int threads) const {
        const size_t n_rows = codes.empty() ? 0 : codes[0].shape(0);
        if (n_rows > UINT32_MAX) throw std::invalid_argument("more than 4,294,967,295 rows");
        if (levels.size() != codes.size()) throw std::invalid_argument("one number of levels per column is needed");
        if (gaps.size() != codes.size()) throw std::invalid_argument("it must be said of each column whether it has gaps");
        if (weights && weights->shape(0) != n_rows) throw std::invalid_argument("one weight per row is needed");
        std::vector<elcs::Codes> columns;
        for (size_t i = 0; i < codes.size(); ++i) {
            const bool wide = codes[i].dtype() == nb::dtype<uint16_t>();
            if (!wide && codes[i].dtype() != nb::dtype<uint8_t>())
                throw std::invalid_argument("codes must be uint8 or uint16");
            if (codes[i].shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
            if (levels[i] == 0) throw std::invalid_argument("a column needs at least one level");
            columns.push_back({codes[i].data(), wide, levels[i], gaps[i]});
        }
        nb::gil_scoped_release release;
        return elcs::Columns(columns, n_rows, weights ? weights->data() : nullptr, threads);
    }

    std::vector<int64_t> counts(const std::vector<int>& variables) const {
        double cells = 1;
        for (const int v : variables) {
            if (v < 0 || static_cast<size_t>(v) >= columns.size()) throw std::out_of_range("no such variable");
            cells *= columns.levels(v);
        }
        if (variables.empty()) throw std::invalid_argument("counts of no variables");
        if (cells > UINT32_MAX) throw std::invalid_argument("the table of counts would be too large");
        std::vector<int64_t> table;
        columns.count(variables.data(), static_cast<int>(variables.size()), table, static_cast<size_t>(cells));
        return table;
    }

    double family_sum(const std::vector<int>& variables, const double* of_cells, const double* of_configurations) const {
        const std::vector<int64_t> table = counts(variables);
        const size_t levels = columns.levels(variables.back());
        double sum = 0;
        for (size_t at = 0; at < table.size(); at += levels) {
            int64_t configuration = 0;
            for (size_t i = at; i < at + levels; ++i) {
                sum += of_cells[table[i]];
                configuration += table[i];
            }
            sum -= of_configurations[configuration];
        }
        return sum;
    }

    void check_terms(std::initializer_list<const Terms*> all) const {
        for (const Terms* terms : all)
            if (terms->shape(0) <= static_cast<size_t>(columns.total()))
                throw std::invalid_argument("a term is needed for each number of rows");
    }

    std::vector<AnyColumn> codes;
    std::optional<Weights> weights;
    elcs::Columns columns;
};

auto distinct(const std::vector<AnyColumn>& codes, const std::vector<uint64_t>& widths, const Weights& weights) {
    const size_t n_rows = weights.shape(0);
    if (n_rows >= UINT32_MAX) throw std::invalid_argument("too many rows");
    if (widths.size() != codes.size()) throw std::invalid_argument("one width per column is needed");
    std::vector<elcs::Coded> columns;
    for (size_t i = 0; i < codes.size(); ++i) {
        const int bytes = static_cast<int>(codes[i].itemsize());
        if (bytes != 1 && bytes != 2 && bytes != 4) throw std::invalid_argument("codes have 1, 2 or 4 bytes");
        if (codes[i].shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        if (widths[i] == 0 || widths[i] > UINT32_MAX) throw std::invalid_argument("a column needs at least one code");
        columns.push_back({codes[i].data(), bytes, widths[i]});
    }
    std::optional<elcs::Distinct> found;
    {
        nb::gil_scoped_release release;
        found.emplace(columns, n_rows, weights.data());
    }
    return nb::make_tuple(as_numpy(std::move(found->rows)), as_numpy(std::move(found->counts)));
}

// Long work calls this every few milliseconds: Ctrl-C ends it here, and so does who no longer waits for the answer.
void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    nb::module_::import_("elcs.deadline").attr("check_stopped")();
}

// A tester that several Python threads may share: each call lets go of the interpreter, then waits its turn.
class SharedTester {
public:
    explicit SharedTester(std::unique_ptr<elcs::Tester> tester) : tester_(std::move(tester)) {}

    template <class Work>
    auto locked(Work work) {
        nb::gil_scoped_release release;
        const elcs::Turns::Turn turn(turns_);
        return work(*tester_);
    }
    int64_t asked() const { return tester_->asked; }
    int64_t computed() const { return tester_->computed; }
    int64_t unreliable() const { return tester_->unreliable; }

private:
    elcs::Turns turns_;
    std::unique_ptr<elcs::Tester> tester_;
};

std::unique_ptr<SharedTester> counting(const Table& table, bool pearson, double rows_per_cell,
                                       std::function<double(int64_t)> critical, size_t cache_size) {
    return std::make_unique<SharedTester>(std::make_unique<elcs::CountingTester>(
        table.columns, pearson, rows_per_cell, std::move(critical), cache_size, check_signals));
}

// A table as the columns it expands into, with the arrays whose memory is read.
struct Gram {
    // A feature is an array with a level (of codes) or with a shift, a scale and a power (of values).
    using Feature = std::tuple<AnyColumn, int64_t, double, double, int>;

    Gram(std::vector<Feature> features, std::vector<std::vector<std::vector<int>>> columns,
         const std::vector<std::optional<AnyColumn>>& missing, std::optional<Weights> weights, int threads)
        : features(std::move(features)), columns(std::move(columns)), weights(std::move(weights)),
          table(build(missing, threads)), correlations(table.correlations()) {}
    Gram(const Gram&) = delete;

    elcs::Expanded build(const std::vector<std::optional<AnyColumn>>& missing, int threads) const {
        const size_t d = features.size();
        if (d == 0) throw std::invalid_argument("a table has features");
        const size_t n_rows = std::get<0>(features[0]).shape(0);
        if (n_rows > UINT32_MAX) throw std::invalid_argument("more than 4,294,967,295 rows");
        if (weights && weights->shape(0) != n_rows) throw std::invalid_argument("one weight per row is needed");
        if (missing.size() != columns.size()) throw std::invalid_argument("one mask per variable is needed");
        std::vector<elcs::Feature> made;
        for (const auto& [array, level, shift, scale, power] : features) {
            if (array.shape(0) != n_rows) throw std::invalid_argument("features differ in length");
            const bool values = array.dtype() == nb::dtype<double>();
            const int bytes = static_cast<int>(array.itemsize());
            if (!values && bytes != 1 && bytes != 2 && bytes != 4) throw std::invalid_argument("codes have 1, 2 or 4 bytes");
            made.push_back({values ? static_cast<const double*>(array.data()) : nullptr, shift, scale, power, array.data(),
                            bytes, static_cast<uint32_t>(level)});
        }
        for (const auto& lists : columns)
            for (const auto& list : lists)
                for (const int column : list)
                    if (column < 0 || static_cast<size_t>(column) >= d) throw std::out_of_range("no such column");
        std::vector<const uint8_t*> marks;
        for (const auto& mask : missing) {
            if (mask && (mask->shape(0) != n_rows || mask->itemsize() != 1))
                throw std::invalid_argument("a mask has a byte per row");
            marks.push_back(mask ? static_cast<const uint8_t*>(mask->data()) : nullptr);
        }
        nb::gil_scoped_release release;
        return elcs::Expanded(std::move(made), n_rows, weights ? weights->data() : nullptr, marks, threads);
    }

    std::vector<Feature> features;
    std::vector<std::vector<std::vector<int>>> columns;
    std::optional<Weights> weights;
    elcs::Expanded table;
    std::vector<double> correlations;
};

std::unique_ptr<SharedTester> gram(const Gram& gram, const std::string& form, bool products,
                                   std::function<double(int64_t)> critical,
                                   std::function<double(int64_t)> critical_of_two, size_t cache_size) {
    std::vector<elcs::Columned> variables;
    for (const auto& lists : gram.columns) {
        if (lists.size() != 5) throw std::invalid_argument("a variable has five lists of columns");
        variables.push_back({lists[0], lists[1], lists[2], lists[3], lists[4]});
    }
    const elcs::Form kind = form == "fisher"       ? elcs::Form::fisher
                            : form == "likelihood" ? elcs::Form::likelihood
                                                   : elcs::Form::trace;
    return std::make_unique<SharedTester>(
        std::make_unique<elcs::GramTester>(gram.table, elcs::Correlations{gram.correlations.data(), gram.features.size()},
                                           std::move(variables), kind, products, std::move(critical),
                                           std::move(critical_of_two), cache_size, check_signals));
}

// Blocks of columns. A score takes microseconds, so no call lets go of the interpreter, and threads take turns.
std::unique_ptr<elcs::Blocks> blocks(const Gram& gram, const elcs::Blocks::Shares& shares, std::vector<int> ranks,
                                     double few_rows, double price_of_parent) {
    std::vector<std::vector<int>> columns;
    for (const auto& lists : gram.columns) columns.push_back(lists[2]);
    if (shares.size() != columns.size()) throw std::invalid_argument("each column must have a share");
    if (ranks.size() != columns.size()) throw std::invalid_argument("each variable must have a rank");
    for (size_t v = 0; v < columns.size(); ++v)
        if (shares[v].size() != columns[v].size()) throw std::invalid_argument("each column must have a share");
    return std::make_unique<elcs::Blocks>(gram.table, gram.correlations.data(), std::move(columns), shares,
                                          std::move(ranks), few_rows, price_of_parent);
}

double score(elcs::Blocks& blocks, int child, std::vector<int> parents) {
    const auto known = [&](int v) { return v >= 0 && static_cast<size_t>(v) < blocks.size(); };
    if (!known(child) || !std::all_of(parents.begin(), parents.end(), known)) throw std::out_of_range("no such variable");
    std::sort(parents.begin(), parents.end());
    if (std::adjacent_find(parents.begin(), parents.end()) != parents.end() || elcs::has(parents, child))
        throw std::invalid_argument("a variable appears twice in one family");
    return blocks.score(child, parents);
}

std::tuple<double, int64_t, int, int64_t, int> test(SharedTester& shared, int x, int y, const std::vector<int>& given) {
    const elcs::Answer a = shared.locked(
        [&](elcs::Tester& t) { return t.test(x, y, given.data(), static_cast<int>(given.size())); });
    return {a.measure.statistic, a.measure.dof, static_cast<int>(a.verdict), a.rows, a.best_of};
}

auto test_many(SharedTester& shared, const Questions& questions, bool skip_unreliable) {
    const size_t n = questions.shape(0), m = questions.shape(1);
    if (m < 2) throw std::invalid_argument("a question names at least two variables");
    std::vector<double> statistic(n);
    std::vector<int64_t> dof(n), rows;
    std::vector<int8_t> verdict(n), best_of;
    size_t i = 0;
    int64_t same_rows = 0;  // mostly all tests rest on the same rows; two more arrays would cost a microsecond a call
    int same_best = 1;
    shared.locked([&](elcs::Tester& t) {
        t.test_many(questions.data(), n, static_cast<int>(m), skip_unreliable, [&](const elcs::Answer& a) {
            statistic[i] = a.measure.statistic;
            dof[i] = a.measure.dof;
            verdict[i] = static_cast<int8_t>(a.verdict);
            if (i == 0) {
                same_rows = a.rows;
                same_best = a.best_of;
            } else if (rows.empty() && (a.rows != same_rows || a.best_of != same_best)) {
                rows.assign(n, same_rows);
                best_of.assign(n, static_cast<int8_t>(same_best));
            }
            if (!rows.empty()) {
                rows[i] = a.rows;
                best_of[i] = static_cast<int8_t>(a.best_of);
            }
            ++i;
        });
    });
    nb::object all_rows = nb::int_(same_rows), all_best = nb::int_(same_best);
    if (!rows.empty()) {
        all_rows = nb::cast(as_numpy(std::move(rows)));
        all_best = nb::cast(as_numpy(std::move(best_of)));
    }
    return nb::make_tuple(as_numpy(std::move(statistic)), as_numpy(std::move(dof)), as_numpy(std::move(verdict)), all_rows,
                          all_best);
}

}  // namespace

NB_MODULE(_kernels, m) {
    nb::set_leak_warnings(false);  // objects alive when the interpreter exits are not a defect to report to users
    m.doc() = "Compiled counting and conditional-independence testing; variables are known by position.";
    const nb::module_ errors = nb::module_::import_("elcs.errors");
    nb::exception<elcs::OutOfBudget>(m, "OutOfBudgetError", errors.attr("BudgetError").ptr());
    nb::exception<elcs::UnknownCpu>(m, "UnknownCpuError", errors.attr("ElcsError").ptr());
    m.def("available_cpus", [] {
        std::vector<std::string> names;
        for (const elcs::Isa& isa : elcs::available_isas()) names.emplace_back(isa.name);
        return names;
    }, "The instruction sets compiled for that this processor has; ELCS_CPU chooses one.");
    m.def("cpu", [] { return elcs::choose_isa().name; }, "The instruction set in use.");

    m.def("distinct", &distinct, "codes"_a, "widths"_a, "weights"_a,
          "The first row of each combination of codes, which are less than the widths, and what its rows weigh together.");
    m.def("encode", &elcs::encode, "positions"_a, "queries"_a, "Questions in terms of names as flat rows, and their width.");
    m.def("decode", &elcs::decode, "type"_a, "statistic"_a, "dof"_a, "verdict"_a, "rows"_a, "best_of"_a,
          "Answers as records of this type.");

    nb::class_<elcs::Budget>(m, "Budget", "What a run may cost: tests and scores together, and seconds.")
        .def(nb::init<std::optional<int64_t>, std::optional<double>>(), "tests"_a = nb::none(), "seconds"_a = nb::none())
        .def("spend", [](elcs::Budget& b) {
            b.check_time();
            b.spend();
        }, "Count a question; BudgetError if no more are allowed, or the time is over.")
        .def("__reduce__", [](nb::handle self) {  // a copy in another process may spend what is left
            const elcs::Budget& b = nb::cast<const elcs::Budget&>(self);
            return nb::make_tuple(self.type(), nb::make_tuple(b.questions_left(), b.seconds_left()));
        })
        .def("check_time", &elcs::Budget::check_time, "BudgetError if the time is over.")
        .def_prop_ro("limited", [](const elcs::Budget& b) { return b.questions_left() || b.timed(); },
                     "Whether it can end.")
        .def_prop_ro("tests_left", &elcs::Budget::questions_left, "How many more may be asked; None: any number.")
        .def_prop_ro("seconds_left", &elcs::Budget::seconds_left, "How much longer it may take; None: as long as it takes.");

    nb::class_<Table>(m, "Table", "Coded columns, ready to be counted.")
        .def(nb::init<std::vector<AnyColumn>, std::vector<uint32_t>, std::vector<bool>, std::optional<Weights>, int>(),
             "codes"_a, "levels"_a, "gaps"_a, "weights"_a.none(), "threads"_a)
        .def_prop_ro("total", [](const Table& t) { return t.columns.total(); })
        .def_prop_ro("cpu", [](const Table& t) { return t.columns.isa(); })
        .def("counts", [](const Table& t, const std::vector<int>& variables) {
            std::vector<int64_t> table;
            {
                nb::gil_scoped_release release;
                table = t.counts(variables);
            }
            return as_numpy(std::move(table));
        }, "variables"_a, "Flat counts; the last variable's level changes fastest.")
        .def("family_sum", [](const Table& t, const std::vector<int>& variables, const Terms& of_cells,
                              const Terms& of_configurations) {
            t.check_terms({&of_cells, &of_configurations});
            nb::gil_scoped_release release;
            return t.family_sum(variables, of_cells.data(), of_configurations.data());
        }, "variables"_a, "of_cells"_a, "of_configurations"_a,
             "Terms looked up for each count and added, less those for the counts without the last variable.");

    nb::class_<Gram>(m, "Gram", "The columns that a table expands into, ready to be multiplied.")
        .def(nb::init<std::vector<Gram::Feature>, std::vector<std::vector<std::vector<int>>>,
                      const std::vector<std::optional<AnyColumn>>&, std::optional<Weights>, int>(),
             "features"_a, "columns"_a, "missing"_a, "weights"_a.none(), "threads"_a);

    nb::class_<elcs::Blocks>(m, "Blocks", "Variables as blocks of correlated columns.")
        .def_static("of", &blocks, "gram"_a, nb::kw_only(), "shares"_a, "ranks"_a, "few_rows"_a, "price_of_parent"_a,
                    nb::keep_alive<0, 1>(), "Those by which the table holds variables fixed.")
        .def("score", &score, "child"_a, "parents"_a, "The log-likelihood of a variable given parents, less what they cost.");

    auto families = elcs::bind_arranging(m);
    families
        .def_static("counted", [](const Table& t, double ess, double price, std::vector<int> ranks, size_t among,
                                   size_t cache_size) {
            if (ranks.size() != t.columns.size()) throw std::invalid_argument("each variable must have a rank");
            return std::shared_ptr<elcs::Families>(std::make_shared<elcs::CountedFamilies>(
                t.columns, ess, price, std::move(ranks), among, cache_size, check_signals));
        }, "table"_a, nb::kw_only(), "ess"_a, "price"_a, "ranks"_a, "among"_a, "cache_size"_a, nb::keep_alive<0, 1>(),
                    "Families by counts: BDeu, or BIC if `ess` is 0. Of parents that are worth the same, the ranks decide.")
        .def_static("blocks", [](elcs::Blocks& b, size_t cache_size) {
            return std::shared_ptr<elcs::Families>(std::make_shared<elcs::BlockFamilies>(b, cache_size, check_signals));
        }, "blocks"_a, nb::kw_only(), "cache_size"_a, nb::keep_alive<0, 1>(), "Families by correlations.")
        .def_static("foreign", [](size_t n, elcs::ForeignFamilies::Scores scores, std::vector<double> levels, double total,
                                   size_t cache_size) {
            if (!levels.empty() && levels.size() != n) throw std::invalid_argument("each variable must have levels, or none");
            return std::shared_ptr<elcs::Families>(std::make_shared<elcs::ForeignFamilies>(
                n, std::move(scores), std::move(levels), total, cache_size, check_signals));
        }, "n_variables"_a, "scores"_a, nb::kw_only(), "levels"_a = std::vector<double>(), "total"_a = 0.0, "cache_size"_a,
                    "Families by a function of a child, parents, and others of which each is one parent more.");

    nb::class_<SharedTester>(m, "Tester", "Answers questions, with a cache, two counters and a budget.")
        .def_static("counting", &counting, "table"_a, nb::kw_only(), "pearson"_a, "rows_per_cell"_a, "critical"_a,
                    "cache_size"_a, nb::keep_alive<0, 1>(), "A tester on contingency tables.")
        .def_static("gram", &gram, "gram"_a, nb::kw_only(), "form"_a, "products"_a, "critical"_a, "critical_of_two"_a,
                    "cache_size"_a, nb::keep_alive<0, 1>(), "A tester on correlations.")
        .def_prop_ro("asked", [](const SharedTester& s) { return s.asked(); })
        .def_prop_ro("computed", [](const SharedTester& s) { return s.computed(); })
        .def_prop_ro("unreliable", [](const SharedTester& s) { return s.unreliable(); })
        .def("test", &test, "x"_a, "y"_a, "given"_a, "(statistic, dof, verdict, rows, best_of) of one question.")
        .def("test_many", &test_many, "questions"_a, "skip_unreliable"_a, "Arrays: statistic, dof, verdict, rows, best_of; of the last two a number if it is the same for all.")
        .def("independent", [](SharedTester& s, int x, int y, const std::vector<int>& given) {
            return s.locked([&](elcs::Tester& t) {
                return t.independent(x, y, given.data(), static_cast<int>(given.size()));
            });
        }, "x"_a, "y"_a, "given"_a)
        .def("association", [](SharedTester& s, int x, int y, const std::vector<int>& given) {
            return s.locked([&](elcs::Tester& t) {
                return t.association(x, y, given.data(), static_cast<int>(given.size()));
            });
        }, "x"_a, "y"_a, "given"_a)
        .def("correlation", [](SharedTester& s, int x, int y, const std::vector<int>& given) {
            return s.locked([&](elcs::Tester& t) {
                return t.correlation(x, y, given.data(), static_cast<int>(given.size()));
            });
        }, "x"_a, "y"_a, "given"_a, "The partial correlation, if each of the two is one number.")
        .def("separator", [](SharedTester& s, int x, int y, const std::vector<int>& among,
                             const std::vector<int>& sizes, const std::vector<int>& containing) {
            std::vector<char> required;
            if (!containing.empty()) {
                required.resize(among.size());
                for (const int c : containing)
                    for (size_t i = 0; i < among.size(); ++i) required[i] |= among[i] == c;
            }
            return s.locked([&](elcs::Tester& t) { return t.separator(x, y, among, sizes, required); });
        }, "x"_a, "y"_a, "among"_a, "sizes"_a, "containing"_a, "Positions in `among` of the first separating subset.")
        .def_prop_rw("budget", [](SharedTester& s) { return s.locked([](elcs::Tester& t) { return t.budget(); }); },
                     [](SharedTester& s, std::shared_ptr<elcs::Budget> budget) {
                         s.locked([&](elcs::Tester& t) { t.set_budget(std::move(budget)); });
                     })
        .def("clear_cache", [](SharedTester& s) { s.locked([](elcs::Tester& t) { t.clear_cache(); }); });
}
