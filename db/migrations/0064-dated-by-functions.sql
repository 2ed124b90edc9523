-- What is written of notifications is dated by whatever writes it, by the clock of the bank: no column fills
-- in the time of the machine.

alter table notification_types alter column created_at drop default, alter column updated_at drop default;
alter table notification_templates
  alter column created_at drop default, alter column updated_at drop default;
alter table notification_template_versions alter column created_at drop default;
alter table events alter column created_at drop default;
alter table notifications alter column created_at drop default;
alter table notification_deliveries
  alter column created_at drop default, alter column due_at drop default;
alter table notification_choices alter column updated_at drop default;
alter table notification_settings alter column updated_at drop default;
