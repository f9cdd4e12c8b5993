package io.rowqueue.spring.shop;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The application's security. */
@Configuration
@Profile("secured")
class ShopSecurity {

  // snippet: spring-dashboard
  @Bean
  SecurityFilterChain chain(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers("/rowqueue", "/rowqueue/**")
                    .hasRole("OPERATOR")
                    .anyRequest()
                    .authenticated())
        .csrf(csrf -> csrf.ignoringRequestMatchers("/rowqueue/**")) // its forms have a token
        .httpBasic(Customizer.withDefaults())
        .build();
  }
  // end snippet
}
