// Package platform: the platform's API as the peer needs it.
package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"platform-operator.io/bench/peer/api"
)

type Status struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	SDS       string `json:"service_deployment_status"`
	RequestID string `json:"deployment_request_id"`
}
type Client struct {
	Base, Token string
	HTTP        *http.Client
	mu          sync.Mutex
	pausedUntil time.Time
}

func New(base, token string, conns int) *Client {
	c := &Client{Base: base, Token: token, HTTP: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: conns, MaxConnsPerHost: conns, IdleConnTimeout: 90 * time.Second}}}
	return c
}

type RateLimited struct{ After time.Duration }

func (e *RateLimited) Error() string { return "429, again in " + e.After.String() }

// paused returns how long the client sends nothing: a 429 pauses all its requests, as the guide of the API recommends.
func (c *Client) paused() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.pausedUntil)
}

func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	if d := c.paused(); d > 0 {
		return &RateLimited{d}
	}
	var rd io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		rd = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, rd)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Token "+c.Token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	r, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.StatusCode == 429 {
		s, err := strconv.Atoi(r.Header.Get("X-RateLimit-Reset"))
		if err != nil {
			s = 60
		}
		d := time.Duration(s) * time.Second
		c.mu.Lock()
		if t := time.Now().Add(d); t.After(c.pausedUntil) {
			c.pausedUntil = t
		}
		c.mu.Unlock()
		return &RateLimited{d}
	}
	if r.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, r.StatusCode, b)
	}
	if out != nil {
		return json.Unmarshal(b, out)
	}
	return nil
}

type Var struct {
	Name, Value string
	Secret      bool
}

func (c *Client) Create(ctx context.Context, env string, s *api.ApplicationSpec) (string, error) {
	ports := make([]map[string]any, 0, len(s.Ports))
	for _, p := range s.Ports {
		ports = append(ports, map[string]any{"internal_port": p.InternalPort, "external_port": p.ExternalPort, "protocol": p.Protocol, "publicly_accessible": p.PubliclyAccessible})
	}
	var out struct {
		ID string `json:"id"`
	}
	err := c.call(ctx, "POST", "/environment/"+env+"/application", map[string]any{"name": s.Name, "git_repository": map[string]any{"url": s.GitRepository.URL, "branch": s.GitRepository.Branch},
		"build_mode": s.BuildMode, "dockerfile_path": s.DockerfilePath, "cpu": s.CPU, "memory": s.Memory, "min_running_instances": s.Min, "max_running_instances": s.Max, "ports": ports}, &out)
	return out.ID, err
}
func (c *Client) Import(ctx context.Context, id string, vars []Var) error {
	l := make([]map[string]any, len(vars))
	for i, v := range vars {
		l[i] = map[string]any{"name": v.Name, "value": v.Value, "is_secret": v.Secret}
	}
	return c.call(ctx, "POST", "/application/"+id+"/environmentVariable/import", map[string]any{"overwrite": true, "vars": l}, nil)
}
func (c *Client) Deploy(ctx context.Context, id, commit string) (s Status, err error) {
	err = c.call(ctx, "POST", "/application/"+id+"/deploy", map[string]any{"git_commit_id": commit}, &s)
	return
}
func (c *Client) Status(ctx context.Context, id string) (s Status, err error) {
	err = c.call(ctx, "GET", "/application/"+id+"/status", nil, &s)
	return
}
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", "/application/"+id, nil, nil)
}
