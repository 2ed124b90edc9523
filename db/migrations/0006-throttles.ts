import { Migration } from '@mikro-orm/migrations';

/** Counters of attempts, shared by all API replicas. Their loss in a crash costs nothing, so they are not logged. */
export class Throttles extends Migration {
  override up(): void {
    this.addSql(`
      -- column order and types are those that rate-limiter-flexible writes; keys are keyed hashes
      create unlogged table throttles (
        key varchar(255) primary key,
        points integer not null default 0,
        expire bigint
      );
      create index throttles_expire on throttles (expire);
      grant select, insert, update, delete on throttles to teller_app;
    `);
  }
}
