package io.rowqueue.proof.security;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;
import org.jspecify.annotations.Nullable;

/** Looks at every call that takes SQL as a text. */
final class SqlScan extends TreePathScanner<@Nullable Void, @Nullable Void> {

  /** The types of java.sql that take it, and the pool that sends it. */
  private static final Set<String> SENDERS =
      Set.of(
          "java.sql.Connection",
          "java.sql.Statement",
          "java.sql.PreparedStatement",
          "com.zaxxer.hikari.HikariConfig");

  private static final Set<String> SENDING =
      Set.of(
          "prepareStatement",
          "prepareCall",
          "nativeSQL",
          "execute",
          "executeQuery",
          "executeUpdate",
          "executeLargeUpdate",
          "addBatch",
          "setConnectionInitSql",
          "setConnectionTestQuery");

  private static final Set<String> NUMBERS =
      Set.of("byte", "short", "int", "long", "java.lang.Integer", "java.lang.Long");

  private final Trees trees;
  private final Set<String> found = new TreeSet<>();
  private int calls;

  SqlScan(JavacTask task) {
    this.trees = Trees.instance(task);
  }

  Set<String> found() {
    return found;
  }

  int calls() {
    return calls;
  }

  @Override
  public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
    Element element = trees.getElement(getCurrentPath());
    if (element instanceof ExecutableElement method && !call.getArguments().isEmpty()) {
      boolean ours = isOurs(method);
      ExpressionTree sql = call.getArguments().get(ours ? 1 : 0);
      if (ours || takesSql(method, sql)) {
        calls++;
        if (!isConstant(sql)) {
          found.add(place());
        }
      }
    }
    return super.visitMethodInvocation(call, null);
  }

  /** The helper that sends what its callers pass behind the connection. */
  private static boolean isOurs(ExecutableElement method) {
    List<? extends VariableElement> parameters = method.getParameters();
    return String.valueOf(method.getEnclosingElement()).equals("io.rowqueue.internal.database.Jdbc")
        && parameters.size() > 1
        && isText(parameters.get(1).asType());
  }

  private boolean takesSql(ExecutableElement method, ExpressionTree first) {
    String owner = String.valueOf(method.getEnclosingElement());
    String name = method.getSimpleName().toString();
    List<? extends VariableElement> parameters = method.getParameters();
    boolean text = !parameters.isEmpty() && isText(parameters.get(0).asType());
    boolean inline = owner.equals("org.jooq.impl.DSL") && name.equals("inline");
    if (inline) {
      return isText(trees.getTypeMirror(path(first)));
    }
    boolean sends = SENDERS.contains(owner) && SENDING.contains(name);
    return text && (sends || isPlainSql(method));
  }

  /** jOOQ marks every method that takes SQL as it stands. */
  private static boolean isPlainSql(ExecutableElement method) {
    return method.getAnnotationMirrors().stream()
        .anyMatch(mark -> mark.getAnnotationType().toString().equals("org.jooq.PlainSQL"));
  }

  private static boolean isText(@Nullable TypeMirror type) {
    return type != null && type.toString().replaceAll("@\\S+ ", "").equals("java.lang.String");
  }

  private boolean isConstant(ExpressionTree text) {
    if (text instanceof LiteralTree) {
      return true;
    }
    if (text instanceof ParenthesizedTree inner) {
      return isConstant(inner.getExpression());
    }
    if (text instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
      return isConstant(sum.getLeftOperand()) && isConstant(sum.getRightOperand());
    }
    if (text instanceof ConditionalExpressionTree choice) {
      return isConstant(choice.getTrueExpression()) && isConstant(choice.getFalseExpression());
    }
    return isNumber(text) || isConstantVariable(text);
  }

  private boolean isConstantVariable(ExpressionTree text) {
    return trees.getElement(path(text)) instanceof VariableElement variable
        && variable.getConstantValue() != null;
  }

  /** Digits, and perhaps a sign: nothing to break out with. */
  private boolean isNumber(ExpressionTree text) {
    TypeMirror type = trees.getTypeMirror(path(text));
    return type != null && NUMBERS.contains(type.toString());
  }

  private TreePath path(Tree tree) {
    return new TreePath(getCurrentPath(), tree);
  }

  private String place() {
    String method = "(field)";
    for (TreePath path = getCurrentPath(); path != null; path = path.getParentPath()) {
      if (path.getLeaf() instanceof MethodTree within) {
        method = within.getName().toString();
      }
      if (path.getLeaf() instanceof ClassTree within && !within.getSimpleName().isEmpty()) {
        return within.getSimpleName() + "." + method;
      }
    }
    return method;
  }
}
