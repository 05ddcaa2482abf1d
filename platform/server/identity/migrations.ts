import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Migration } from '../tool.ts';

/** Tables of accounts, sessions, known browsers and server-wide settings. Times are milliseconds since the epoch. */
export const identityMigrations: readonly Migration[] = [
  {
    name: '001-accounts',
    up: async (db) => {
      await db.schema
        .createTable('account')
        .$call(idColumn(db))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('folded', 'text', (column) => column.notNull())
        .addColumn('password', 'text', (column) => column.notNull())
        .addColumn('is_owner', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('account_folded').on('account').column('folded').unique().execute();
      // The index lets only one of two concurrent first sign-ups become the owner.
      await db.schema
        .createIndex('account_owner')
        .on('account')
        .column('is_owner')
        .unique()
        .where('is_owner', '=', 1)
        .execute();
    },
  },
  {
    name: '002-sessions',
    up: async (db) => {
      await db.schema
        .createTable('session')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('device', 'integer')
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('unused_limit', 'bigint', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull())
        .addColumn('last_seen', 'bigint', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('browser', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('session_hash').on('session').column('hash').unique().execute();
      await db.schema.createIndex('session_account').on('session').column('account').execute();
      await db.schema.createIndex('session_expires').on('session').column('expires').execute();
    },
  },
  {
    name: '003-known-browsers',
    up: async (db) => {
      await db.schema
        .createTable('known_browser')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('used', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('known_browser_account_hash')
        .on('known_browser')
        .columns(['account', 'hash'])
        .unique()
        .execute();
    },
  },
  {
    name: '004-settings',
    up: async (db) => {
      await db.schema
        .createTable('setting')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: '005-zone',
    up: async (db) => {
      await db.schema.alterTable('account').addColumn('zone', 'text').execute();
    },
  },
  {
    name: '006-app-passwords',
    up: async (db) => {
      await db.schema
        .createTable('app_password')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('last_used', 'bigint')
        .addColumn('address', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('app_password_hash').on('app_password').column('hash').unique().execute();
      await db.schema.createIndex('app_password_account').on('app_password').column('account').execute();
    },
  },
  {
    name: '007-app-password-kinds',
    up: async (db) => {
      await db.schema
        .alterTable('app_password')
        .addColumn('kind', 'text', (column) => column.notNull().defaultTo('calendar'))
        .execute();
      await db.schema.alterTable('app_password').addColumn('sealed', 'text').execute();
    },
  },
  {
    name: '008-links',
    up: async (db) => {
      await db.schema
        .alterTable('account')
        .addColumn('link_generation', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  {
    name: '009-second-factor',
    up: async (db) => {
      await db.schema
        .createTable('totp')
        .addColumn('account', 'integer', (column) => referenceAccount(column).primaryKey())
        .addColumn('sealed', 'text', (column) => column.notNull())
        .addColumn('last_step', 'bigint', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('passkey')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('credential', 'text', (column) => column.notNull())
        .addColumn('public_key', 'text', (column) => column.notNull())
        .addColumn('user_handle', 'text', (column) => column.notNull())
        .addColumn('counter', 'bigint', (column) => column.notNull())
        .addColumn('transports', 'text', (column) => column.notNull())
        .addColumn('host', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('last_used', 'bigint')
        .execute();
      await db.schema.createIndex('passkey_credential').on('passkey').column('credential').unique().execute();
      await db.schema.createIndex('passkey_account').on('passkey').column('account').execute();
      await db.schema
        .createTable('recovery_code')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('hash', 'text', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('recovery_code_account_hash')
        .on('recovery_code')
        .columns(['account', 'hash'])
        .unique()
        .execute();
      await db.schema
        .createTable('used_ticket')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('used_ticket_hash').on('used_ticket').column('hash').unique().execute();
      await db.schema.alterTable('known_browser').addColumn('remembered_until', 'bigint').execute();
      // A browser gets a new secret when it is remembered, for all accounts that know it.
      await db.schema.createIndex('known_browser_hash').on('known_browser').column('hash').execute();
    },
  },
  {
    name: '010-access',
    up: async (db) => {
      await db.schema.alterTable('account').addColumn('suspended', 'bigint').execute();
      await db.schema
        .createTable('invitation')
        .$call(idColumn(db))
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull())
        .addColumn('max_uses', 'integer', (column) => column.notNull())
        .addColumn('uses', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema.createIndex('invitation_hash').on('invitation').column('hash').unique().execute();
    },
  },
  {
    name: '011-single-sign-on',
    up: async (db) => {
      await db.schema.alterTable('account').addColumn('password_login_until', 'bigint').execute();
      await db.schema
        .createTable('external_login')
        .addColumn('account', 'integer', (column) => referenceAccount(column).primaryKey())
        .addColumn('issuer', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('label', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('external_login_subject')
        .on('external_login')
        .columns(['issuer', 'subject'])
        .unique()
        .execute();
    },
  },
  {
    name: '012-programs',
    up: async (db) => {
      await db.schema.alterTable('known_browser').addColumn('program', 'text').execute();
      await db.schema
        .createIndex('known_browser_account_program')
        .on('known_browser')
        .columns(['account', 'program'])
        .unique()
        .execute();
    },
  },
];
