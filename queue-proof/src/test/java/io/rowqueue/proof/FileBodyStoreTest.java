package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.body.BodyStore;
import io.rowqueue.body.FileBodyStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileBodyStoreTest extends BodyStoreContract {

  @TempDir private Path folder;

  @Override
  BodyStore store() {
    return FileBodyStore.in(folder);
  }

  private List<String> old() throws IOException {
    try (Stream<String> all = store().olderThan(Duration.ofDays(1))) {
      return all.toList();
    }
  }

  private String write() throws IOException {
    return store().write(new ByteArrayInputStream(new byte[10]));
  }

  private void makeOld(String name) throws IOException {
    Files.setLastModifiedTime(folder.resolve(name), FileTime.fromMillis(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "../../etc/passwd",
        "/etc/passwd",
        "2026-11-24/ab/../ab/abcdef01-0000-0000-0000-000000000000",
        "2026-11-24/ab/abcdef01-0000-0000-0000-000000000000.part"
      })
  void reference_ofAnotherForm_isRefused(String forged) {
    assertThatThrownBy(() -> store().open(forged)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store().delete(forged)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void olderThan_givesWhatIsOld_andLetsFilesOfOthersBe() throws IOException {
    String fresh = write();
    String old = write();
    makeOld(old);
    Files.writeString(folder.resolve("notes.txt"), "somebody's");
    makeOld("notes.txt");
    assertThat(old()).containsExactly(old);
    assertThat(folder.resolve("notes.txt")).exists();
    assertThat(folder.resolve(fresh)).exists();
  }

  @Test
  void olderThan_ofWhatWasNeverFinished_deletesIt() throws IOException {
    String fresh = write();
    Path unfinished = folder.resolve(fresh + ".part");
    Files.writeString(unfinished, "half");
    makeOld(fresh + ".part");
    assertThat(old()).isEmpty();
    assertThat(unfinished).doesNotExist();
    assertThat(folder.resolve(fresh)).exists();
  }

  @Test
  void folderThatIsAway_isNotABodyThatIsMissing() throws IOException {
    String reference = write();
    BodyStore store = store();
    Path away = folder.resolveSibling(folder.getFileName() + "-away");
    Files.move(folder, away);
    assertThatThrownBy(() -> store.open(reference))
        .isNotInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("is it mounted?");
    assertThatThrownBy(() -> FileBodyStore.in(folder)).hasMessageContaining("is no folder");
    Files.move(away, folder);
  }
}
