import type { DatabaseConnection, Dialect } from 'kysely';

/**
 * PostgreSQL's dialect with errors that may be logged: a refused row or value is not in them. By itself PostgreSQL tells both,
 * as in `Key (name)=(…) already exists`.
 */
export const discreet = (dialect: Dialect): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    const seen = new WeakSet<DatabaseConnection>();
    driver.acquireConnection = async (options) => {
      const connection = await acquire(options);
      if (!seen.has(connection)) hush(connection);
      seen.add(connection);
      return connection;
    };
    return driver;
  },
});

const hush = (connection: DatabaseConnection): void => {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    try {
      return await execute(query, options);
    } catch (error) {
      throw withoutValues(error);
    }
  };
};

/** Class 22 is of values that do not fit, and quotes them in the message itself. */
const withoutValues = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const told = Object.fromEntries(
    Object.entries(error).filter(([name]) => !['detail', 'where', 'internalQuery'].includes(name)),
  );
  const message = error.code.startsWith('22') ? 'a value does not fit its column' : error.message;
  return Object.assign(new Error(message), told);
};
