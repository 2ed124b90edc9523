CREATE OR REPLACE FUNCTION public.next_occurrence(starts_on date, unit text, every integer, nth integer)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE
AS $function$
        select case unit
          when 'day' then starts_on + nth * every
          when 'week' then starts_on + 7 * nth * every
          when 'month' then (starts_on + make_interval(months => nth * every))::date end
      $function$;
