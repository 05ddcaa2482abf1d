import type { DatabaseConnection, Dialect } from 'kysely';

export type ExecuteQuery = DatabaseConnection['executeQuery'];

interface QueryHooks {
  /** Called before a connection is taken; what it throws, the caller gets in its place. */
  readonly before: () => void;
  /** Is given a connection's own `executeQuery`. */
  readonly wrap: (execute: ExecuteQuery) => ExecuteQuery;
}

/** A dialect whose connections run each query through `wrap`. */
export const wrapQueries = (dialect: Dialect, { before, wrap }: QueryHooks): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    const seen = new WeakSet<DatabaseConnection>();
    driver.acquireConnection = async (options) => {
      before();
      const connection = await acquire(options);
      if (!seen.has(connection)) connection.executeQuery = wrap(connection.executeQuery.bind(connection));
      seen.add(connection);
      return connection;
    };
    return driver;
  },
});
