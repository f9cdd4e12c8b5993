package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.conf.DefaultPropertySet;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import com.mysql.cj.util.Util;
import io.rowqueue.worker.DatabaseConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverParametersTest {

  private static final Set<String> PLACES =
      Set.of(
          "user",
          "password",
          "host",
          "port",
          "protocol",
          "path",
          "type",
          "address",
          "priority",
          "dbname");

  /** Whatever their value, RowQueue's statements do, return and count the same. */
  private static final Set<String> HARMLESS =
      Set.of(
          """
          allowLoadLocalInfile allowLoadLocalInfileInPath allowMultiQueries allowNanAndInf
          allowPublicKeyRetrieval allowReplicaDownConnections allowSourceDownConnections
          allowUrlInLocalInfile alwaysSendSetIsolation
          authenticationOpenidConnectCallbackHandler authenticationPlugins
          authenticationWebAuthnCallbackHandler autoClosePStmtStreams autoSlowLog
          blobSendChunkSize cacheCallableStmts cacheDefaultTimeZone cachePrepStmts
          cacheResultSetMetadata cacheServerConfiguration callableStmtCacheSize
          clientCertificateKeyStorePassword clientCertificateKeyStoreType
          clientCertificateKeyStoreUrl clientInfoProvider clobberStreamingResults
          clobCharacterEncoding compensateOnDuplicateKeyUpdateCounts connectionAttributes
          connectionCollation connectionLifecycleInterceptors connectionTimeZone
          connectTimeout continueBatchOnError createDatabaseIfNotExist customCharsetMapping
          databaseTerm defaultAuthenticationPlugin detectCustomCollations
          disabledAuthenticationPlugins disconnectOnExpiredPasswords dnsSrv
          dontCheckOnDuplicateKeyUpdateInSQL dontTrackOpenResources dumpQueriesOnException
          emptyStringsConvertToZero enableEscapeProcessing enablePacketDebug
          enableQueryTimeouts exceptionInterceptors explainSlowQueries failOverReadOnly
          fallbackToSystemKeyStore fallbackToSystemTrustStore fipsCompliantJsse
          forceConnectionTimeZoneToSession gatherPerfMetrics generateSimpleParameterMetadata
          getProceduresReturnsFunctions ha.enableJMX ha.loadBalanceStrategy
          holdResultsOpenOverStatementClose idTokenFile ignoreNonTxTables
          includeInnodbStatusInDeadlockExceptions includeThreadDumpInDeadlockExceptions
          includeThreadNamesAsStatementComment initialTimeout interactiveClient
          KeyManagerFactoryProvider keyStoreProvider largeRowSizeThreshold ldapServerHostname
          loadBalanceAutoCommitStatementRegex loadBalanceAutoCommitStatementThreshold
          loadBalanceBlocklistTimeout loadBalanceConnectionGroup loadBalanceExceptionChecker
          loadBalanceHostRemovalGracePeriod loadBalancePingTimeout
          loadBalanceSQLExceptionSubclassFailover loadBalanceSQLStateFailover
          loadBalanceValidateConnectionOnSwapServer localSocketAddress locatorFetchBufferSize
          logger logSlowQueries logXaCommands maintainTimeStats maxAllowedPacket
          maxByteArrayAsHex maxQuerySizeToLog maxReconnects metadataCacheSize
          netTimeoutForStreamingResults noAccessToProcedureBodies noDatetimeStringSync
          nullDatabaseMeansCurrent ociConfigFile ociConfigProfile openTelemetry
          overrideSupportsIntegrityEnhancementFacility packetDebugBufferSize padCharsWithSpace
          paranoid password1 password2 password3 passwordCharacterEncoding pedantic
          pinGlobalTxToPhysicalConnection populateInsertRowWithDefaultValues prepStmtCacheSize
          prepStmtCacheSqlLimit preserveInstants processEscapeCodesForPrepStmts
          profilerEventHandler profileSQL propertiesTransform queriesBeforeRetrySource
          queryInfoCacheFactory queryInterceptors queryTimeoutKillsConnection
          readFromSourceWhenNoReplicas readOnlyPropagatesToServer replicationConnectionGroup
          reportMetricsIntervalMillis requireSSL resourceId resultSetSizeThreshold
          retriesAllDown rewriteBatchedStatements rollbackOnPooledClose
          scrollTolerantForwardOnly secondsBeforeRetrySource selfDestructOnPingMaxOperations
          selfDestructOnPingSecondsLifetime sendFractionalSeconds sendFractionalSecondsForTime
          serverAffinityOrder serverConfigCacheFactory serverRSAPublicKeyFile sessionVariables
          slowQueryThresholdMillis slowQueryThresholdNanos socketFactory socketTimeout
          socksProxyHost socksProxyPort socksProxyRemoteDns sslContextProvider sslMode
          strictUpdates tcpKeepAlive tcpNoDelay tcpRcvBuf tcpSndBuf tcpTrafficClass
          tinyInt1isBit tlsCiphersuites tlsVersions traceProtocol trackSessionState
          transformedBitIsBoolean treatMysqlDatetimeAsTimestamp treatUtilDateAsTimestamp
          trustCertificateKeyStorePassword trustCertificateKeyStoreType
          trustCertificateKeyStoreUrl trustManagerFactoryProvider useColumnNamesInFindColumn
          useCompression useConfigs useHostsInPrivileges useInformationSchema
          useLocalSessionState useNanosForElapsedTime useOldAliasMetadataBehavior
          useOnlyServerErrorMessages useReadAheadInput useServerPrepStmts useSSL
          useStreamLengthsInPrepStmts useUnbufferedInput useUsageAdvisor
          verifyServerCertificate yearIsDateType zeroDateTimeBehavior
          """
              .strip()
              .split("\\s+"));

  /** A new version of the driver fails here until somebody has decided about what is new in it. */
  @Test
  void everyParameter_isHarmlessOrFixed() {
    Set<String> undecided = new TreeSet<>();
    for (PropertyKey key : PropertyKey.values()) {
      undecided.add(key.getKeyName());
    }
    undecided.removeIf(name -> name.startsWith("xdevapi."));
    undecided.removeAll(PLACES);
    undecided.removeAll(HARMLESS);
    undecided.removeAll(DriverParameters.FIXED.keySet());
    assertThat(undecided).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://h/app?useCursorFetch=true",
        "jdbc:mysql://h/app?a=b&DEFAULTFETCHSIZE=2",
        "jdbc:mysql://(host=h,useAffectedRows=true)/app",
        "jdbc:mysql://a,b/app?autoReconnect=true",
        "jdbc:mysql://h/app?characterEncoding=ISO-8859-1",
        "jdbc:mysql://h/app?jdbcCompliantTruncation=false"
      })
  void url_withAParameterThatChangesStatements_isRefusedByName(String url) {
    assertThatThrownBy(() -> new DatabaseConfig(url, "", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RowQueue does not work with it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://h/app?useCursorFetch=false&characterEncoding=utf8",
        "jdbc:mysql://h/app?allowMultiQueries=true&rewriteBatchedStatements=true",
        "jdbc:mysql://a,b/app?characterEncoding=UTF-8&jdbcCompliantTruncation=true"
      })
  void url_withOtherParameters_isTaken(String url) {
    assertThatCode(() -> new DatabaseConfig(url, "", "")).doesNotThrowAnyException();
  }

  @Test
  void settings_leaveWhatTheUrlSays_inAnyCase() {
    DatabaseConfig database =
        new DatabaseConfig("jdbc:mysql://h/app?SocketTimeout=1&SocketFactory=F", "u", "p");
    assertThat(DriverParameters.of(database, Map.of("socketTimeout", "2", "connectTimeout", "3")))
        .containsOnly(
            Map.entry("connectTimeout", "3"),
            Map.entry("tcpKeepAlive", "true"),
            Map.entry("user", "u"),
            Map.entry("password", "p"));
  }

  @ParameterizedTest
  @CsvSource({"//h/app, true", "//(host=h)/app, true", "//(protocol=pipe)/app, false"})
  void sockets_areOursButForAPipe(String address, boolean ours) {
    DatabaseConfig database = new DatabaseConfig("jdbc:mysql:" + address, "", "");
    assertThat(DriverParameters.of(database, Map.of()).containsKey("socketFactory"))
        .isEqualTo(ours);
  }

  /** A firewall forgets a connection that is idle while a handler does something else. */
  @Test
  void socket_sendsKeepAlivePacketsAfterSeconds() throws IOException {
    DatabaseConfig database = new DatabaseConfig("jdbc:mysql://h/app", "", "");
    PropertySet properties = new DefaultPropertySet();
    properties.initializeProperties(DriverParameters.of(database, Map.of()));
    String factory = properties.getStringProperty(PropertyKey.socketFactory).getValue();
    StandardSocketFactory sockets =
        Util.getInstance(StandardSocketFactory.class, factory, null, null, null);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = sockets.connect("127.0.0.1", server.getLocalPort(), properties, 5_000)) {
      assertThat(socket.getKeepAlive()).isTrue();
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(20);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(5);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(4);
    }
  }

  @Test
  void password_isAskedForEachTime() {
    var passwords = Arrays.asList("one", "two").iterator();
    DatabaseConfig database = new DatabaseConfig("jdbc:mysql://h/app", "u", passwords::next);
    assertThat(DriverParameters.of(database, Map.of())).containsEntry("password", "one");
    assertThat(DriverParameters.of(database, Map.of())).containsEntry("password", "two");
  }
}
