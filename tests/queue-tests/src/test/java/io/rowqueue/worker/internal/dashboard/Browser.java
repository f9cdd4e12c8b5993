package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with a profile of its own, which talks to nobody but the page. */
final class Browser implements AutoCloseable {

  private static final @Nullable Path CHROMIUM = found("chromium", "chromium-browser");
  private static final @Nullable Path DRIVER = found("chromedriver");

  private final Path profile;
  private final ChromeDriver driver;

  private Browser(Path profile, ChromeDriver driver) {
    this.profile = profile;
    this.driver = driver;
  }

  private static @Nullable Path found(String... names) {
    return Stream.of(names)
        .map(name -> Path.of("/usr/bin", name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  static boolean isThere() {
    return CHROMIUM != null && DRIVER != null;
  }

  static Browser open(int width, int height) {
    try {
      Path profile = Files.createTempDirectory("rowqueue-chromium");
      ChromeOptions options = new ChromeOptions();
      options.setBinary(Objects.requireNonNull(CHROMIUM).toFile());
      options.addArguments(
          "--headless=new",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--disable-dev-shm-usage",
          "--hide-scrollbars",
          "--user-data-dir=" + profile);
      LoggingPreferences logs = new LoggingPreferences();
      logs.enable(LogType.BROWSER, Level.ALL);
      options.setCapability("goog:loggingPrefs", logs);
      ChromeDriverService service =
          new ChromeDriverService.Builder()
              .usingDriverExecutable(Objects.requireNonNull(DRIVER).toFile())
              .usingAnyFreePort()
              .build();
      Browser opened = new Browser(profile, new ChromeDriver(service, options));
      opened.size(width, height);
      return opened;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Browser size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    return this;
  }

  Browser scheme(String name) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
    return this;
  }

  /** Of pages that are opened from now on, such as {@code Asia/Tokyo}. */
  Browser zone(String name) {
    driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", name));
    return this;
  }

  /** Sends this header with every request. */
  Browser with(String header, String value) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.setExtraHTTPHeaders", Map.of("headers", Map.of(header, value)));
    return this;
  }

  Browser scripts(boolean on) {
    driver.executeCdpCommand("Emulation.setScriptExecutionDisabled", Map.of("value", !on));
    return this;
  }

  ChromeDriver driver() {
    return driver;
  }

  Browser go(String url) {
    driver.get(url);
    return this;
  }

  WebElement one(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** A click does not wait for the page that it leads to where scripts are off. */
  WebElement named(String text) {
    await("there is " + text, () -> !buttons(text).isEmpty());
    return buttons(text).get(0);
  }

  /** Waits until the page says {@code text}. */
  void see(String text) {
    await("the page says " + text, () -> text().contains(text));
  }

  /** While one page makes room for the next, what was found is gone. */
  private static void await(String what, BooleanSupplier condition) {
    Await.that(
        what,
        Duration.ofSeconds(30),
        () -> {
          try {
            return condition.getAsBoolean();
          } catch (WebDriverException e) {
            return false;
          }
        });
  }

  private List<WebElement> buttons(String text) {
    return driver.findElements(
        By.xpath("//*[self::a or self::button][normalize-space()='" + text + "']"));
  }

  String text() {
    return one("body").getText();
  }

  @Nullable Object script(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** How many pixels wider its content is than it. */
  long overflow() {
    Object value =
        script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth");
    return ((Number) Objects.requireNonNull(value)).longValue();
  }

  /** What the page complained of, the policy's violations included. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(entry -> entry.getMessage())
        .toList();
  }

  /** Returns a picture of the whole page, also of what has to be scrolled to. */
  private byte[] whole() {
    Object size =
        script(
            "return {x: 0, y: 0, scale: 1, width: document.documentElement.clientWidth,"
                + " height: Math.ceil(document.body.getBoundingClientRect().height)}");
    Map<String, Object> taken =
        driver.executeCdpCommand(
            "Page.captureScreenshot",
            Map.of("captureBeyondViewport", true, "clip", Objects.requireNonNull(size)));
    return Base64.getDecoder().decode(String.valueOf(taken.get("data")));
  }

  /** Keeps a picture, where pictures are wanted. */
  Browser picture(String name) {
    String folder = System.getProperty("rowqueue.pictures", "");
    if (!folder.isEmpty()) {
      try {
        Files.createDirectories(Path.of(folder));
        Files.write(Path.of(folder, name + ".png"), whole());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return this;
  }

  @Override
  public void close() {
    driver.quit();
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // A profile that stays behind in the temporary folder harms nobody.
      System.err.println(e);
    }
  }
}
