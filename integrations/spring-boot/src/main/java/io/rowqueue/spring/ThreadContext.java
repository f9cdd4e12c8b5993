package io.rowqueue.spring;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Restores what Spring keeps for each thread: user, locale and request. Otherwise a handler would
 * run as the user whom the one before it on the same thread has set. Thread-safe.
 */
final class ThreadContext implements HandlerInterceptor {

  private static final boolean HAS_SECURITY =
      isPresent("org.springframework.security.core.context.SecurityContextHolder");

  private static final boolean HAS_WEB =
      isPresent("org.springframework.web.context.request.RequestContextHolder");

  private static boolean isPresent(String name) {
    return ClassUtils.isPresent(name, ThreadContext.class.getClassLoader());
  }

  @Override
  public void intercept(HandlerContext context, Invocation next) throws Exception {
    LocaleContext locale = LocaleContextHolder.getLocaleContext();
    Invocation within = HAS_WEB ? () -> Web.proceed(next) : next;
    try {
      if (HAS_SECURITY) {
        Security.proceed(within);
      } else {
        within.proceed();
      }
    } finally {
      LocaleContextHolder.setLocaleContext(locale);
    }
  }

  private static final class Security {

    /** With a context of its own, since handlers may change the user in the current one. */
    static void proceed(Invocation next) throws Exception {
      SecurityContext before = SecurityContextHolder.getContext();
      SecurityContext own = SecurityContextHolder.createEmptyContext();
      own.setAuthentication(before.getAuthentication());
      SecurityContextHolder.setContext(own);
      try {
        next.proceed();
      } finally {
        SecurityContextHolder.setContext(before);
      }
    }
  }

  private static final class Web {

    static void proceed(Invocation next) throws Exception {
      RequestAttributes before = RequestContextHolder.getRequestAttributes();
      try {
        next.proceed();
      } finally {
        RequestContextHolder.setRequestAttributes(before);
      }
    }
  }
}
