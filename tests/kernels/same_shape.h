// Whether a declaration of ours means the same to a C library as the real one: same number of
// parameters, and for each of them, and the result, the same kind, size and constness. Names of
// types may differ, and an enumeration is our int.
#pragma once

#include <cstddef>
#include <type_traits>

namespace linkburn::test {

template <class T, class = void>
inline constexpr bool is_complete = false;
template <class T>
inline constexpr bool is_complete<T, std::void_t<decltype(sizeof(T))>> = true;

template <class Ours, class Real>
constexpr bool same_shape();

template <class Ours, class Real>
constexpr bool same_pointee() {
  if constexpr (std::is_const_v<Ours> != std::is_const_v<Real>)
    return false;
  else if constexpr (std::is_void_v<Ours> || std::is_void_v<Real>)
    return std::is_void_v<Ours> == std::is_void_v<Real>;
  else
    return same_shape<std::remove_cv_t<Ours>, std::remove_cv_t<Real>>();
}

template <class Ours, class Real>
constexpr bool same_shape() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Real>) {
    return same_pointee<std::remove_pointer_t<Ours>, std::remove_pointer_t<Real>>();
  } else if constexpr (std::is_class_v<Ours> && std::is_class_v<Real>) {
    // Handles point to what no header describes.
    if constexpr (is_complete<Ours> && is_complete<Real>)
      return sizeof(Ours) == sizeof(Real) && alignof(Ours) == alignof(Real);
    else
      return is_complete<Ours> == is_complete<Real>;
  } else if constexpr (std::is_enum_v<Real>) {
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Real);
  } else if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Real>) {
    return sizeof(Ours) == sizeof(Real) && std::is_signed_v<Ours> == std::is_signed_v<Real>;
  } else {
    return std::is_same_v<Ours, Real>;
  }
}

template <class Ours, class Real>
inline constexpr bool same_function = false;
template <class OurResult, class... Ours, class RealResult, class... Reals>
requires(sizeof...(Ours) ==
         sizeof...(
             Reals)) inline constexpr bool same_function<OurResult(Ours...), RealResult(Reals...)> =
    same_shape<OurResult, RealResult>() && (same_shape<Ours, Reals>() && ...);

template <class Ours, class Real>
constexpr bool same_value(Ours ours, Real real) {
  return static_cast<long long>(ours) == static_cast<long long>(real);
}

}  // namespace linkburn::test
