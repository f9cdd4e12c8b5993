package io.rowqueue.spring.shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Takes the user from a header, as an application does behind a proxy that authenticates. */
@Component
@Profile("header-user")
class HeaderUser extends OncePerRequestFilter {

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String user = request.getHeader("User");
    chain.doFilter(
        new HttpServletRequestWrapper(request) {
          @Override
          public @Nullable Principal getUserPrincipal() {
            return user == null ? null : () -> user;
          }
        },
        response);
  }
}
