#include "io/hdf5_child_parts.hpp"

// The child's side: what a file declares.

namespace lsrecon {

namespace {

constexpr int levels = 3;

struct Link {
    std::string name;
    bool to_other_file;
};

herr_t collect_link(hid_t, const char* name, const H5L_info_t* info, void* links) {
    const bool here = info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT;
    static_cast<std::vector<Link>*>(links)->push_back({name, !here});
    return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

bool read_text(hid_t attribute, std::string& result) {
    const Hdf5Handle stored(H5Aget_type(attribute), H5Tclose);
    if (H5Tis_variable_str(stored.get()) > 0) {
        char* value = nullptr;
        const bool read = H5Aread(attribute, stored.get(), &value) >= 0;
        result = value == nullptr ? "" : value;
        H5free_memory(value);
        return read;
    }
    std::string value(H5Tget_size(stored.get()), '\0');
    const bool read = H5Aread(attribute, stored.get(), value.data()) >= 0;
    result = value.substr(0, value.find('\0'));
    return read;
}

bool read_numbers(hid_t attribute, std::vector<double>& result) {
    return H5Aread(attribute, H5T_NATIVE_DOUBLE, result.data()) >= 0;
}

Hdf5Attribute survey_attribute(hid_t object, const std::string& name) {
    Hdf5Attribute result;
    result.name = name;
    const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
    if (type.get() < 0 || space.get() < 0) {
        result.readable = false;
        return result;
    }
    result.shape = describe(type.get(), space.get());
    const std::size_t elements = result.shape.elements();
    if (result.shape.kind == Hdf5Kind::string && elements == 1) {
        result.readable = read_text(attribute.get(), result.text);
    } else if (fits(result.shape.kind, Hdf5Kind::real) && elements > 0 &&
               elements <= Hdf5Attribute::most_numbers) {
        result.numbers.resize(elements);
        result.readable = read_numbers(attribute.get(), result.numbers);
    }
    return result;
}

Hdf5Storage chunks_of(hid_t dataset, hid_t space, hid_t properties, const Hdf5Shape& shape) {
    std::vector<hsize_t> chunk(shape.extents.size());
    require_hdf5(H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) >= 0);
    std::vector<std::size_t> counts;
    for (std::size_t d = 0; d < chunk.size(); ++d) {
        counts.push_back((shape.extents[d] + chunk[d] - 1) / chunk[d]);
    }
    hsize_t stored = 0;
    require_hdf5(H5Dget_num_chunks(dataset, space, &stored) >= 0);
    return {Hdf5Layout::chunked, product_of(counts), stored};
}

Hdf5Storage storage_of(hid_t dataset, hid_t type, hid_t space, const Hdf5Shape& shape) {
    const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    const int other_files = H5Pget_external_count(properties.get());
    require_hdf5(layout != H5D_LAYOUT_ERROR && other_files >= 0);
    if (layout == H5D_VIRTUAL || other_files > 0) {
        return {Hdf5Layout::in_other_files, 0, 0};
    }
    if (layout == H5D_CHUNKED) {
        return chunks_of(dataset, space, properties.get(), shape);
    }
    return {layout == H5D_COMPACT ? Hdf5Layout::compact : Hdf5Layout::contiguous,
            product_of({shape.elements(), H5Tget_size(type)}), H5Dget_storage_size(dataset)};
}

void survey_dataset(hid_t dataset, Hdf5Object& result) {
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
    require_hdf5(type.get() >= 0 && space.get() >= 0);
    result.shape = describe(type.get(), space.get());
    result.storage = storage_of(dataset, type.get(), space.get(), result.shape);
    result.is = Hdf5Is::dataset;
}

Hdf5Object survey_object(const Hdf5Served& served, hid_t object, int levels_below);

void survey_group(const Hdf5Served& served, hid_t group, int levels_below, Hdf5Object& result) {
    result.is = Hdf5Is::group;
    if (levels_below == 0) {
        return;
    }
    std::vector<Link> links;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_link, &links) < 0) {
        result.whole = false;
    }
    for (const Link& link : links) {
        Hdf5Object member;
        if (link.to_other_file) {
            member.is = Hdf5Is::link_to_other_file;
        } else {
            const Hdf5Handle object(H5Oopen(group, link.name.c_str(), served.link_access),
                                    H5Oclose);
            member = survey_object(served, object.get(), levels_below - 1);
        }
        member.name = link.name;
        result.members.push_back(std::move(member));
    }
}

Hdf5Object survey_object(const Hdf5Served& served, hid_t object, int levels_below) {
    Hdf5Object result;
    if (object < 0) {
        return result;
    }
    std::vector<std::string> names;
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_attribute, &names) < 0) {
        result.whole = false;
    }
    for (const std::string& name : names) {
        result.attributes.push_back(survey_attribute(object, name));
    }
    const H5I_type_t type = H5Iget_type(object);
    if (type == H5I_GROUP) {
        survey_group(served, object, levels_below, result);
    } else if (type == H5I_DATASET) {
        try {
            survey_dataset(object, result);
        } catch (const Hdf5Failure&) {
            result.is = Hdf5Is::unreadable;
        }
    } else {
        result.is = Hdf5Is::other;
    }
    return result;
}

} // namespace

Hdf5Object survey(const Hdf5Served& served) {
    const Hdf5Handle root = open_object(served, "/");
    require_hdf5(root.get() >= 0);
    return survey_object(served, root.get(), levels);
}

} // namespace lsrecon
