import { Migration } from '@mikro-orm/migrations';

/** How a ticket, a file or a message ended, stands: what two processes, or a repeat after a crash, may disagree on is decided once. */
export class EndsStand extends Migration {
  override up(): void {
    this.addSql(`
      create function refuse_after_end() returns trigger language plpgsql as $$
      begin
        raise exception 'this row of % has ended', tg_table_name using errcode = 'restrict_violation';
      end $$;

      create trigger tickets_end_stands before update on tickets
        for each row when (old.status = 'closed') execute function refuse_after_end();
      create trigger uploads_end_stands before update on uploads
        for each row when (old.status <> 'pending') execute function refuse_after_end();
      create trigger messages_end_stands before update on messages
        for each row when (old.status <> 'queued') execute function refuse_after_end();
    `);
  }
}
