package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Binder;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.ProvisionException;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.PayloadVersion;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.spi.Deflate;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A handler may have its topic's former names, and what contradicts itself does not start. */
class AliasTest {

  record Mail(String to) {}

  @PayloadVersion(3)
  record Letter(String to) {}

  static final class Letters implements MessageHandler<Letter> {
    @Override
    public void handle(Letter letter, HandlerContext context) {}
  }

  static final class Mails implements MessageHandler<Mail> {
    @Override
    public void handle(Mail mail, HandlerContext context) {}
  }

  private static HandlerRegistry registry(Consumer<Binder> bindings) {
    return Guice.createInjector(
            new AbstractModule() {
              @Override
              protected void configure() {
                Multibinder.newSetBinder(binder(), HandlerBinding.class);
                bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
                bind(MessageLimits.class).toInstance(MessageLimits.defaults());
                WrapperBinder.allow(binder(), Deflate.reader());
                bindings.accept(binder());
              }
            })
        .getInstance(HandlerRegistry.class);
  }

  private static void refused(String words, Consumer<Binder> bindings) {
    assertThatThrownBy(() -> registry(bindings))
        .isInstanceOf(ProvisionException.class)
        .hasMessageContaining(words);
  }

  private static HandlerSettings formerly(String... names) {
    return HandlerSettings.defaults().withFormerTopics(names);
  }

  @Test
  void formerTopics_ofABinding_haveItsHandler() {
    HandlerRegistry registry =
        registry(
            binder ->
                HandlerBinder.bind(
                    binder,
                    "mail.send",
                    Mails.class,
                    formerly("email.send", "mail.send").withFormerTopics("post.send")));
    Topic mail = new Topic("mail.send");
    Topic email = new Topic("email.send");
    assertThat(registry.topics()).containsExactly(email, mail, new Topic("post.send"));
    assertThat(registry.find(email)).isSameAs(registry.find(mail));
    assertThat(registry.binding(email)).isEqualTo(mail);
    assertThat(registry.binding(mail)).isEqualTo(mail);
  }

  @Test
  void formerTopics_thatAnotherHandlerHas_doNotStart() {
    refused(
        "topic 'a' has two handlers",
        binder -> {
          HandlerBinder.bind(binder, "a", Mails.class);
          HandlerBinder.bind(binder, "b", Mails.class, formerly("a"));
        });
    refused(
        "topic 'c' has two handlers",
        binder -> {
          HandlerBinder.bind(binder, "a", Mails.class, formerly("c"));
          HandlerBinder.bind(binder, "b", Mails.class, formerly("c"));
        });
    assertThatThrownBy(() -> formerly("")).isInstanceOf(InvalidMessageException.class);
  }

  @Test
  void wrapper_thatIsRequiredAndMayNotBeRead_doesNotStart() {
    HandlerSettings deflated = HandlerSettings.defaults().withRequiredWrappers("deflate");
    Topic mail = new Topic("mail.send");
    assertThat(
            registry(binder -> HandlerBinder.bind(binder, "mail.send", Mails.class, deflated))
                .policy(mail)
                .required())
        .containsExactly("deflate");
    refused(
        "requires the wrappers [seald], but this worker can only read [deflate]",
        binder ->
            HandlerBinder.bind(
                binder, "mail.send", Mails.class, deflated.withRequiredWrappers("seald")));
  }

  @Test
  void upcasters_withAGap_areAnErrorOfTheModule() {
    HandlerSettings gap =
        HandlerSettings.defaults().withUpcasters(Upcasters.to(Letter.class).from(1, tree -> {}));
    assertThatThrownBy(
            () -> registry(binder -> HandlerBinder.bind(binder, "a", Letters.class, gap)))
        .isInstanceOf(CreationException.class)
        .hasMessageContaining("gap")
        .hasMessageContaining("'a'");
    assertThatThrownBy(() -> registry(binder -> HandlerBinder.bind(binder, "a", Letters.class)))
        .isInstanceOf(CreationException.class)
        .hasMessageContaining("nothing converts from version 1");
  }
}
