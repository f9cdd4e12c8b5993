package jakarta.ejb;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for that of Jakarta EE, which is not on the class path. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Asynchronous {}
