package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseConfigTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "jdbc:mysql://db:3306/app //db:3306/app",
        "jdbc:mysql://db/app?user=ada&password=s3cret //db/app",
        "jdbc:mysql://ada:s3cret@db:3306/app //db:3306/app",
        "jdbc:mysql://ada:s3cret@db1,ada:s3cret@db2:3307/app //db1,db2:3307/app",
        "jdbc:mysql://ada:s3,cret@db/app //db/app",
        "jdbc:mysql://ada:s3/cret@db/app //db/app",
        "jdbc:mysql://ada:s3?cret@db/app (hidden)",
        "jdbc:mysql://ada:s3#cret@db/app (hidden)",
        "jdbc:mysql://address=(host=db)(port=1)(user=ada)(password=s3cret)/app //db/app",
        "jdbc:mysql://(host=db,port=1,user=ada,password=s3cret)/app //db/app",
        "jdbc:mysql://[(host=db1,password=s3cret),(host=db2,password=s3cret)]/app //db1,db2/app",
        "jdbc:mysql://ada:s3cret@(host=db)/app //db/app",
        "jdbc:mysql:loadbalance://ada:s3cret@db1,db2/app loadbalance://db1/app",
        "jdbc:mysql:replication://db1,db2/app replication://db1,db2/app",
        "jdbc:mysql:ada:s3cret@db (hidden)"
      })
  void location_showsNoAccount(String url, String location) {
    DatabaseConfig config = new DatabaseConfig(url, "ada", "s3cret");
    assertThat(config.location()).isEqualTo(location);
    assertThat(config.toString()).isEqualTo("DatabaseConfig[" + location + "]");
    assertThat(WorkerConfig.defaults(config).toString())
        .doesNotContain("s3cret", "s3,", "s3/", "s3?", "s3#");
  }
}
