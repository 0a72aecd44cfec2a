// Questions in terms of names, as learners ask them, to positions, and arrays of answers to records. In Python the two
// loops cost 0.75 us a question, more than most tests; here 0.2.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "tester.hpp"

namespace elcs {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Array<T> as_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

inline int position_of(const nb::dict& positions, nb::handle name) {
    PyObject* found = PyDict_GetItemWithError(positions.ptr(), name.ptr());
    if (found != nullptr) return nb::cast<int>(nb::handle(found));
    if (PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_KeyError, name.ptr());
    throw nb::python_error();
}

// In each row x, y and the conditioning set, padded with -1 to the longest.
inline nb::tuple encode(const nb::dict& positions, const nb::list& queries) {
    size_t width = 2;
    for (nb::handle query : queries) width = std::max(width, 2 + nb::len(nb::object(query[2])));
    std::vector<int32_t> rows;
    rows.reserve(queries.size() * width);
    nb::object last;
    size_t last_row = 0;
    for (nb::handle query : queries) {
        const size_t row = rows.size();
        rows.push_back(position_of(positions, query[0]));
        rows.push_back(position_of(positions, query[1]));
        const nb::object given = query[2];
        if (given.is(last)) {  // mostly so: a learner asks about many variables given the same
            for (size_t i = 2; i < width; ++i) rows.push_back(rows[last_row + i]);
        } else {
            for (nb::handle z : given) rows.push_back(position_of(positions, z));
            rows.resize(row + width, -1);
            last = given;
            last_row = row;
        }
    }
    return nb::make_tuple(as_numpy(std::move(rows)), width);
}

// A number for each record: from an array, or the same for all.
template <class T>
class Numbered {
public:
    Numbered(nb::handle given, size_t n) {
        if (nb::isinstance<nb::int_>(given)) {
            same_ = nb::borrow(given);
            return;
        }
        array_ = nb::cast<Vector<T>>(given);
        if (array_.shape(0) != n) throw std::invalid_argument("arrays differ in length");
    }
    nb::object operator[](size_t i) const {
        return same_.is_valid() ? same_ : nb::object(nb::int_(static_cast<int64_t>(array_.data()[i])));
    }

private:
    nb::object same_;
    Vector<T> array_;
};

// Records (statistic, dof, reliable, independent, rows, best_of) of a type derived from tuple.
inline nb::list decode(nb::type_object type, const Vector<double>& statistic, const Vector<int64_t>& dof,
                       const Vector<int8_t>& verdict, nb::handle rows, nb::handle best_of) {
    auto* made = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!PyType_IsSubtype(made, &PyTuple_Type)) throw nb::type_error("records must derive from tuple");
    const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(made, Py_tp_alloc));
    const size_t n = verdict.shape(0);
    if (statistic.shape(0) != n || dof.shape(0) != n) throw std::invalid_argument("arrays differ in length");
    const Numbered<int64_t> all_rows(rows, n);
    const Numbered<int8_t> all_best(best_of, n);
    nb::list records = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
    if (!records.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < n; ++i) {
        const auto outcome = static_cast<Verdict>(verdict.data()[i]);
        nb::object record = nb::steal(allocate(made, 6));
        if (!record.is_valid()) throw nb::python_error();
        NB_TUPLE_SET_ITEM(record.ptr(), 0, nb::float_(statistic.data()[i]).release().ptr());
        NB_TUPLE_SET_ITEM(record.ptr(), 1, nb::int_(dof.data()[i]).release().ptr());
        NB_TUPLE_SET_ITEM(record.ptr(), 2, nb::bool_(outcome != Verdict::unreliable).release().ptr());
        NB_TUPLE_SET_ITEM(record.ptr(), 3, nb::bool_(outcome == Verdict::independent).release().ptr());
        NB_TUPLE_SET_ITEM(record.ptr(), 4, all_rows[i].release().ptr());
        NB_TUPLE_SET_ITEM(record.ptr(), 5, all_best[i].release().ptr());
        // Numbers are in no cycle. Tracked, the records of a wide table kept the garbage collector busy for a quarter
        // of a run of ELCS on 801 variables.
        PyObject_GC_UnTrack(record.ptr());
        NB_LIST_SET_ITEM(records.ptr(), static_cast<Py_ssize_t>(i), record.release().ptr());
    }
    return records;
}

}  // namespace elcs
