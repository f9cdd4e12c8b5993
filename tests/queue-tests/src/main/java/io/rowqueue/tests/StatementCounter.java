package io.rowqueue.tests;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Message;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the statements that the connections of one URL send, where the server's own count is that
 * of every test.
 */
public final class StatementCounter implements QueryInterceptor {

  private static final int QUERY = 0x03;
  private static final int STATEMENT_EXECUTE = 0x17;

  private static final Map<String, AtomicInteger> SENT = new ConcurrentHashMap<>();

  private AtomicInteger mine = new AtomicInteger();

  /** {@code url} with which connections are counted. */
  public static String counting(String url) {
    return url + "&queryInterceptors=" + StatementCounter.class.getName();
  }

  /** How many the connections of {@code counting}, a URL made by {@link #counting}, have sent. */
  public static int sent(String counting) {
    return of(counting).get();
  }

  private static AtomicInteger of(String url) {
    return SENT.computeIfAbsent(url, key -> new AtomicInteger());
  }

  @Override
  public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
    mine = of(connection.getURL());
    return this;
  }

  @Override
  public <M extends Message> @Nullable M preProcess(M packet) {
    int command = packet.getByteBuffer()[0];
    if (command == QUERY || command == STATEMENT_EXECUTE) {
      mine.incrementAndGet();
    }
    return null;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // as the driver declares it
  public <T extends Resultset> @Nullable T preProcess(Supplier<String> sql, Query query) {
    return null;
  }

  @Override
  public boolean executeTopLevelOnly() {
    return false;
  }

  @Override
  public void destroy() {}

  @Override
  public <T extends Resultset> T postProcess(
      Supplier<String> sql, Query query, T result, ServerSession session) {
    return result;
  }
}
