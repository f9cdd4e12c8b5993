package io.rowqueue.internal.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.BodyStoreContract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileBodyStoreTest implements BodyStoreContract {

  @TempDir private Path folder;

  @Override
  public BodyStore store() {
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

  /** Where the body of {@code reference} lies; before it stands the folder's name. */
  private Path file(String reference) {
    return folder.resolve(reference.substring(reference.indexOf('/') + 1));
  }

  private static void makeOld(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "../../etc/passwd",
        "/etc/passwd",
        "2026-11-24/ab/abcdef01-0000-0000-0000-000000000000",
        "01234567/2026-11-24/ab/../ab/abcdef01-0000-0000-0000-000000000000",
        "01234567/2026-11-24/ab/abcdef01-0000-0000-0000-000000000000.part"
      })
  void reference_ofAnotherForm_isRefused(String forged) {
    assertThatThrownBy(() -> store().open(forged)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store().delete(forged)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void olderThan_givesWhatIsOld_andLetsFilesOfOthersBe() throws IOException {
    String fresh = write();
    String old = write();
    makeOld(file(old));
    Path notes = folder.resolve("notes.txt");
    Files.writeString(notes, "somebody's");
    makeOld(notes);
    makeOld(folder.resolve("rowqueue-folder"));
    assertThat(old()).containsExactly(old);
    assertThat(notes).exists();
    assertThat(file(fresh)).exists();
  }

  @Test
  void olderThan_ofWhatWasNeverFinished_deletesIt() throws IOException {
    String fresh = write();
    Path unfinished = Path.of(file(fresh) + ".part");
    Files.writeString(unfinished, "half");
    makeOld(unfinished);
    assertThat(old()).isEmpty();
    assertThat(unfinished).doesNotExist();
    assertThat(file(fresh)).exists();
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
    assertThatThrownBy(() -> FileBodyStore.in(folder)).hasMessageContaining("is not a directory");
    Files.move(away, folder);
  }

  /** As a mount point is where nothing is mounted. */
  @Test
  void emptyFolderInItsPlace_losesNoBody_andTakesNoneFromWhoKnewIt() throws IOException {
    BodyStore known = store();
    String reference = known.write(new ByteArrayInputStream(new byte[10]));
    Path away = folder.resolveSibling(folder.getFileName() + "-mounted");
    Files.move(folder, away);
    Files.createDirectory(folder);
    for (BodyStore store : List.of(known, store())) {
      assertThatThrownBy(() -> store.open(reference))
          .isNotInstanceOf(NoSuchFileException.class)
          .hasMessageContaining("is it mounted?");
      assertThatThrownBy(() -> store.delete(reference)).isInstanceOf(IOException.class);
    }
    assertThat(old()).isEmpty();
    assertThatThrownBy(() -> known.write(new ByteArrayInputStream(new byte[10])))
        .hasMessageContaining("is it mounted?");

    String elsewhere = write();
    assertThatThrownBy(() -> store().open(reference))
        .isNotInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("is the right one mounted?");
    Files.move(folder, folder.resolveSibling(folder.getFileName() + "-other"));
    Files.move(away, folder);
    assertThat(known.open(reference)).hasBinaryContent(new byte[10]);
    assertThatThrownBy(() -> store().open(elsewhere)).isNotInstanceOf(NoSuchFileException.class);
  }

  @Test
  void firstBodies_ofManyProducersAtOnce_lieInOneFolderOfOneName() {
    List<String> references =
        IntStream.range(0, 64)
            .parallel()
            .mapToObj(
                i -> {
                  try {
                    return write();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                })
            .toList();
    assertThat(references).doesNotHaveDuplicates();
    assertThat(references.stream().map(one -> one.substring(0, 8)).distinct()).hasSize(1);
    assertThat(folder).isDirectoryNotContaining("glob:**rowqueue-folder-*");
  }
}
