import type { DatabaseConnection, Dialect } from 'kysely';

export type Execute = DatabaseConnection['executeQuery'];

/** A dialect whose connections run each query through `wrap`, which is given their own `executeQuery`. */
export const eachQuery = (dialect: Dialect, wrap: (execute: Execute) => Execute): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    const seen = new WeakSet<DatabaseConnection>();
    driver.acquireConnection = async (options) => {
      const connection = await acquire(options);
      if (!seen.has(connection)) connection.executeQuery = wrap(connection.executeQuery.bind(connection));
      seen.add(connection);
      return connection;
    };
    return driver;
  },
});
