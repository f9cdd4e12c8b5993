package io.rowqueue.spring;

import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.worker.WorkerBuilder;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

/** Finds the handlers among the beans of an application. */
final class HandlerBeans {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerBeans.class);

  private static final String SIGNATURES =
      "; a handler method takes the payload and optionally a HandlerContext, or a"
          + " List<Delivery<Payload>>";

  /** The annotations that {@code @EnableAsync} acts on. */
  private static final List<String> ASYNCHRONOUS =
      List.of(
          Async.class.getName(),
          "jakarta.ejb.Asynchronous",
          "jakarta.enterprise.concurrent.Asynchronous");

  private static final String EARLY =
      "it returns before its work is done, which would then be outside the message's transaction;"
          + " remove @Async or @Asynchronous, or wait for the result and return it";

  private static final String NOT_OVERRIDDEN =
      "it is final, or package-private in another package, so Spring's proxy of the bean would run"
          + " it itself, without the bean's fields; make it public and not final (in Kotlin: open)";

  private final ConfigurableListableBeanFactory beans;
  private final Map<String, Found> found = new TreeMap<>();

  /** A handler, and where it is declared. */
  private record Found(
      ResolvableType payload, Handler<?> handler, RowQueueHandler annotation, String place) {}

  /**
   * Creates the beans with handlers.
   *
   * @throws HandlerConfigurationException if an annotation is on what cannot handle messages, or
   *     two are for one topic
   */
  HandlerBeans(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        find(name);
      }
    }
  }

  private void find(String name) {
    // A scoped proxy shows neither the class nor the annotations of its target.
    String target = ScopedProxyUtils.getTargetBeanName(name);
    String declared = beans.containsBeanDefinition(target) ? target : name;
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, declared);
    if (type == null) {
      return;
    }
    methods(declared, type).forEach((method, found) -> addMethod(name, type, method, found));
    RowQueueHandler annotation = beans.findAnnotationOnBean(declared, RowQueueHandler.class, false);
    if (annotation != null) {
      addBean(name, declared, type, annotation);
    }
  }

  /** Whether there is no handler. */
  boolean isEmpty() {
    return found.isEmpty();
  }

  /** Binds all handlers. */
  void bindAll(WorkerBuilder builder) {
    found.forEach(
        (topic, handler) -> {
          try {
            builder.bind(
                topic,
                concrete(handler.payload).getType(),
                handler.handler,
                settings ->
                    upcasting(settings(settings, handler.annotation), handler.payload.toClass()));
          } catch (RuntimeException e) {
            throw wrong(handler.annotation, handler.place, String.valueOf(e.getMessage()), e);
          }
        });
  }

  private void addBean(String name, String declaration, Class<?> type, RowQueueHandler annotation) {
    ResolvableType declared = ResolvableType.forClass(type);
    if (declared.as(Handler.class).getGeneric(0).resolve() == null
        && beans.containsBeanDefinition(declaration)) {
      // A lambda, whose type only its bean method tells.
      declared = beans.getMergedBeanDefinition(declaration).getResolvableType();
    }
    String place = "bean '%s' (%s)".formatted(name, type.getName());
    Object bean = beans.getBean(name);
    if (isNull(bean)) {
      return;
    }
    if (!(bean instanceof Handler<?> handler)) {
      throw wrong(
          annotation,
          place,
          "the class implements none of MessageHandler, ResultHandler and BatchHandler; implement"
              + " one, or annotate a method",
          null);
    }
    ResolvableType result = declared.as(ResultHandler.class).getGeneric(1);
    for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
      if (method.getName().equals("handle") && !method.isBridge()) {
        if (returnsEarly(type, method, result)) {
          throw wrong(annotation, place, EARLY, null);
        }
        if (runsOnTheProxy(bean, method)) {
          throw wrong(annotation, place, NOT_OVERRIDDEN, null);
        }
      }
    }
    add(declared.as(Handler.class).getGeneric(0), handler, annotation, place);
  }

  /** Whether it returns before its work is done. */
  private static boolean returnsEarly(Class<?> type, Method method, ResolvableType result) {
    Class<?> returned = result.resolve(Object.class);
    return Future.class.isAssignableFrom(returned)
        || CompletionStage.class.isAssignableFrom(returned)
        || Flow.Publisher.class.isAssignableFrom(returned)
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null
        || runsOnAnotherThread(type)
        || runsOnAnotherThread(method);
  }

  /** Whether {@code bean} is a proxy whose class cannot override {@code method}. */
  private static boolean runsOnTheProxy(Object bean, Method method) {
    int modifiers = method.getModifiers();
    if (!AopUtils.isCglibProxy(bean) || Modifier.isStatic(modifiers)) {
      return false;
    }
    Class<?> declaring = method.getDeclaringClass();
    return Modifier.isFinal(modifiers)
        || ((modifiers & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0
            && !(declaring.getPackageName().equals(bean.getClass().getPackageName())
                && declaring.getClassLoader() == bean.getClass().getClassLoader()));
  }

  /** Spring has such a bean where a bean method has returned null. */
  @SuppressWarnings("EqualsNull") // only that bean says so
  private static boolean isNull(Object bean) {
    return bean.equals(null);
  }

  private static boolean runsOnAnotherThread(AnnotatedElement element) {
    MergedAnnotations all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
    return ASYNCHRONOUS.stream().anyMatch(all::isPresent);
  }

  private static Map<Method, RowQueueHandler> methods(String name, Class<?> type) {
    if (!AnnotationUtils.isCandidateClass(type, RowQueueHandler.class)) {
      return Map.of();
    }
    try {
      return MethodIntrospector.selectMethods(
          type,
          (MethodIntrospector.MetadataLookup<RowQueueHandler>)
              method ->
                  AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                      ? null
                      : AnnotatedElementUtils.findMergedAnnotation(method, RowQueueHandler.class));
    } catch (IllegalStateException | LinkageError e) {
      // Spring itself creates such a lazy bean only when it is used.
      LOG.info("bean '{}' is not searched for handlers: {}", name, e.getMessage());
      return Map.of();
    }
  }

  private void addMethod(String name, Class<?> type, Method method, RowQueueHandler annotation) {
    String place = "method %s.%s of bean '%s'".formatted(type.getName(), method.getName(), name);
    Class<?>[] parameters = method.getParameterTypes();
    boolean context = parameters.length == 2 && parameters[1] == HandlerContext.class;
    if ((parameters.length != 1 && !context) || parameters[0] == HandlerContext.class) {
      throw wrong(annotation, place, "it has other parameters" + SIGNATURES, null);
    }
    if (returnsEarly(type, method, ResolvableType.forMethodReturnType(method, type))) {
      throw wrong(annotation, place, EARLY, null);
    }
    ResolvableType payload = ResolvableType.forMethodParameter(method, 0, type);
    ResolvableType element = payload.as(List.class).getGeneric(0);
    boolean batch = element.resolve() == Delivery.class;
    if (batch && (context || method.getReturnType() != void.class)) {
      throw wrong(
          annotation,
          place,
          "a batch has no result, and each Delivery has its own context" + SIGNATURES,
          null);
    }
    Object bean = beans.getBean(name);
    if (isNull(bean)) {
      return;
    }
    Method invocable;
    try {
      invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
    } catch (IllegalStateException e) {
      throw wrong(annotation, place, String.valueOf(e.getMessage()), e);
    }
    if (runsOnTheProxy(bean, invocable)) {
      throw wrong(annotation, place, NOT_OVERRIDDEN, null);
    }
    ReflectionUtils.makeAccessible(invocable);
    Handler<?> handler;
    if (batch) {
      handler = (BatchHandler<Object>) deliveries -> invoke(invocable, bean, deliveries);
    } else if (method.getReturnType() == void.class) {
      handler =
          (MessageHandler<Object>)
              (value, about) -> invoke(invocable, bean, arguments(context, value, about));
    } else {
      handler =
          (ResultHandler<Object, Object>)
              (value, about) -> invoke(invocable, bean, arguments(context, value, about));
    }
    add(batch ? element.getGeneric(0) : payload, handler, annotation, place);
  }

  private static Object[] arguments(boolean context, Object payload, HandlerContext about) {
    return context ? new Object[] {payload, about} : new Object[] {payload};
  }

  private static @Nullable Object invoke(Method method, Object bean, Object... arguments)
      throws Exception {
    try {
      return method.invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception thrown) {
        throw thrown;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }

  private void add(
      ResolvableType payload, Handler<?> handler, RowQueueHandler annotation, String place) {
    String topic = text(annotation.value());
    if (payload.resolve() == null) {
      throw wrong(annotation, place, "its payload type is unknown; declare a concrete type", null);
    }
    Found other = found.putIfAbsent(topic, new Found(payload, handler, annotation, place));
    if (other != null) {
      throw wrong(
          annotation,
          place,
          "the topic has a handler already, "
              + other.place
              + "; publish to two subscribed topics instead",
          null);
    }
  }

  /** Without the type variables of interfaces, which codecs do not know. */
  private static ResolvableType concrete(ResolvableType type) {
    return concrete(type, Set.of());
  }

  /**
   * A raw type in its own bound, such as that of {@code Event<E extends Event<E>>}, has no end.
   *
   * @param outer the classes of which {@code type} is an argument
   */
  private static ResolvableType concrete(ResolvableType type, Set<Class<?>> outer) {
    Class<?> raw = type.resolve(Object.class);
    if (!type.hasGenerics() || (type.getType() instanceof TypeVariable && outer.contains(raw))) {
      return ResolvableType.forClass(raw);
    }
    Set<Class<?>> inner = new HashSet<>(outer);
    inner.add(raw);
    return ResolvableType.forClassWithGenerics(
        raw,
        Arrays.stream(type.getGenerics())
            .map(argument -> concrete(argument, inner))
            .toArray(ResolvableType[]::new));
  }

  private HandlerSettings settings(HandlerSettings defaults, RowQueueHandler annotation) {
    HandlerSettings settings = defaults;
    if (annotation.attempts() != 0) {
      settings = settings.withMaxAttempts(annotation.attempts());
    }
    if (annotation.threads() != 0) {
      settings = settings.withMaxThreads(annotation.threads());
    }
    if (annotation.batchSize() != 0) {
      settings = settings.withBatchSize(annotation.batchSize());
    }
    if (!annotation.transactional()) {
      settings = settings.withoutTransaction();
    }
    String timeout = text(annotation.timeout());
    if (!timeout.isEmpty()) {
      settings = settings.withTimeout(DurationStyle.detectAndParse(timeout));
    }
    String backoff = text(annotation.backoff());
    if (!backoff.isEmpty()) {
      settings = settings.withRetryPolicy(RetryPolicy.fixed(DurationStyle.detectAndParse(backoff)));
    }
    String results = text(annotation.results());
    if (!results.isEmpty()) {
      settings = settings.withResults(DurationStyle.detectAndParse(results));
    }
    return settings.withFormerTopics(
        Arrays.stream(annotation.formerTopics()).map(this::text).toArray(String[]::new));
  }

  /** With the bean that converts older payloads to {@code payload}, if there is one. */
  private HandlerSettings upcasting(HandlerSettings settings, Class<?> payload) {
    List<Upcasters> converting =
        beans.getBeanProvider(Upcasters.class).stream()
            .filter(each -> each.target() == payload)
            .toList();
    if (converting.size() > 1) {
      throw new IllegalArgumentException(
          "several beans of type Upcasters convert to %s; leave one".formatted(payload.getName()));
    }
    return converting.isEmpty() ? settings : settings.withUpcasters(converting.get(0));
  }

  private String text(String written) {
    return String.valueOf(beans.resolveEmbeddedValue(written));
  }

  private static HandlerConfigurationException wrong(
      RowQueueHandler annotation, String place, String problem, @Nullable Throwable cause) {
    String message =
        "@RowQueueHandler(\"%s\") on %s: %s".formatted(annotation.value(), place, problem);
    return cause == null
        ? new HandlerConfigurationException(message)
        : new HandlerConfigurationException(message, cause);
  }
}
