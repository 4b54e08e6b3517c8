// Records the next times of random cron schedules, as github.com/robfig/cron/v3 computes them:
//
//	go run . -count 3000 | xz -9 > ../data/cron_runs.jsonl.xz
//
// One JSON list per line: schedule, time zone, the moment to start from, and the times that follow, each as
// seconds after the one before (fewer than five if there is none within five years). Half of the moments lie
// shortly before a clock change of the time zone, and many schedules name the hours around it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

const times = 5

var zones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns",
	"America/Havana", "America/Santiago", "America/Sao_Paulo", "America/Asuncion", "Asia/Kolkata",
	"Asia/Kathmandu", "Asia/Tehran", "Asia/Beirut", "Asia/Jerusalem", "Asia/Tokyo", "Africa/Cairo",
	"Africa/Casablanca", "Atlantic/Azores", "Antarctica/Troll", "Australia/Sydney", "Australia/Lord_Howe",
	"Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "Pacific/Norfolk",
}

func field(r *rand.Rand, first, last int) string {
	part := func() string {
		low := first + r.Intn(last-first+1)
		high := low + r.Intn(last-low+1)
		switch r.Intn(7) {
		case 0:
			return fmt.Sprintf("%d-%d", low, high)
		case 1:
			return fmt.Sprintf("%d/%d", low, 1+r.Intn(last))
		case 2:
			return fmt.Sprintf("*/%d", 1+r.Intn(last))
		case 3:
			return fmt.Sprintf("%d-%d/%d", low, high, 1+r.Intn(9))
		default:
			return fmt.Sprint(low)
		}
	}
	parts := []string{part()}
	for r.Intn(4) == 0 {
		parts = append(parts, part())
	}
	return strings.Join(parts, ",")
}

func sometimes(r *rand.Rand, of int, text, otherwise string) string {
	if r.Intn(of) == 0 {
		return text
	}
	return otherwise
}

func schedule(r *rand.Rand) string {
	if r.Intn(25) == 0 {
		return []string{"@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@every 90m", "@every 1h1m1s"}[r.Intn(7)]
	}
	star := func() string { return sometimes(r, 8, "?", "*") }
	hours := field(r, 0, 23)
	if r.Intn(2) == 0 {
		hours = field(r, 0, 3)
	}
	return strings.Join([]string{
		sometimes(r, 6, star(), field(r, 0, 59)),
		sometimes(r, 5, star(), hours),
		sometimes(r, 4, field(r, 1, 31), star()),
		sometimes(r, 5, field(r, 1, 12), star()),
		sometimes(r, 3, field(r, 0, 6), star()),
	}, " ")
}

// beforeChange returns a moment within three days before a clock change, or any moment without one.
func beforeChange(r *rand.Rand, zone *time.Location) time.Time {
	start := time.Date(2015+r.Intn(20), time.Month(1+r.Intn(12)), 1+r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60), 0, zone)
	if r.Intn(2) == 0 {
		return start
	}
	_, before := start.Zone()
	for day := start; day.Before(start.AddDate(1, 0, 0)); day = day.Add(24 * time.Hour) {
		if _, offset := day.Zone(); offset != before {
			return day.Add(-time.Duration(r.Intn(72*3600)) * time.Second)
		}
	}
	return start
}

func main() {
	count := flag.Int("count", 3000, "the number of schedules")
	seed := flag.Int64("seed", 1, "the seed")
	flag.Parse()
	r := rand.New(rand.NewSource(*seed))
	out := json.NewEncoder(os.Stdout)
	for made := 0; made < *count; made++ {
		name := zones[r.Intn(len(zones))]
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		text, after := schedule(r), beforeChange(r, zone)
		// As the CronJob controller writes the time zone of a CronJob.
		parsed, err := cron.ParseStandard("TZ=" + name + " " + text)
		if err != nil {
			panic(fmt.Sprint(text, ": ", err))
		}
		steps := []int64{}
		for last := after; len(steps) < times; {
			next := parsed.Next(last)
			if next.IsZero() {
				break
			}
			steps = append(steps, next.Unix()-last.Unix())
			last = next
		}
		if err := out.Encode([]any{text, name, after.Unix(), steps}); err != nil {
			panic(err)
		}
	}
}
