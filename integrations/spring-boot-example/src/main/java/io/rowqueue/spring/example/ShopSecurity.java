package io.rowqueue.spring.example;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The shop is for everybody, and the dashboard for the user of application.properties. */
@Configuration
class ShopSecurity {

  /** The shop's form needs no CSRF token, since it has no login; the dashboard has its own. */
  @Bean
  SecurityFilterChain chain(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers("/rowqueue", "/rowqueue/**")
                    .hasRole("OPERATOR")
                    .anyRequest()
                    .permitAll())
        .csrf(csrf -> csrf.ignoringRequestMatchers("/", "/rowqueue/**"))
        .httpBasic(Customizer.withDefaults())
        .build();
  }
}
